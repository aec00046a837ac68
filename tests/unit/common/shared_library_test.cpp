#include "common/shared_library.h"

#include <elf.h>

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/made_library.h"

namespace mstune {
namespace {

constexpr const char* kOldConstructor = "_ZN2ge20PassRegistrationDataC1ESs";
constexpr const char* kNewConstructor =
    "_ZN2ge20PassRegistrationDataC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

TEST_CASE("shared library: machine, needs and symbols are read") {
  const auto library =
      read_shared_library(made_library(EM_AARCH64, "libgraph.so", kOldConstructor));
  REQUIRE(library);
  CHECK(library->architecture == "aarch64");
  CHECK(library->needed == std::vector<std::string>{"libgraph.so"});
  CHECK(library->symbols == std::vector<std::string>{kOldConstructor});
}

TEST_CASE("shared library: a machine without a name is told by its number") {
  CHECK(read_shared_library(made_library(EM_X86_64, "a", "b"))->architecture == "x86_64");
  CHECK(read_shared_library(made_library(EM_RISCV, "a", "b"))->architecture == "machine 243");
}

TEST_CASE("shared library: the constructor that is asked for tells which std::string") {
  const auto abi = [](const char* symbol) {
    return registration_abi(*read_shared_library(made_library(EM_X86_64, "a", symbol)));
  };
  CHECK(abi(kOldConstructor) == "old");
  CHECK(abi(kNewConstructor) == "new");
  CHECK(abi("_ZN2ge5GraphC1EPKc") == "");
}

TEST_CASE("shared library: what is no library, or cut anywhere, is nothing") {
  CHECK_FALSE(read_shared_library(""));
  CHECK_FALSE(read_shared_library("#!/bin/sh\n"));
  const std::string whole = made_library(EM_X86_64, "libgraph.so", kOldConstructor);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(read_shared_library(std::string_view(whole).substr(0, length)));
  }
}

TEST_CASE("shared library: damaged bytes never lead out of the file") {
  const std::string whole = made_library(EM_X86_64, "libgraph.so", kOldConstructor);
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 4; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    if (const auto library = read_shared_library(bytes)) {
      CHECK(library->symbols.size() <= bytes.size());
    }
  }
}

TEST_CASE(
    "shared library: the tuning pass is what offers its symbol, not what wants or spells it") {
  const std::string symbol(kPassSymbol);
  CHECK(
      is_tuning_pass(*read_shared_library(made_library(EM_X86_64, "a", symbol, Symbol::offered))));
  CHECK_FALSE(is_tuning_pass(*read_shared_library(made_library(EM_X86_64, "a", symbol))));
  CHECK_FALSE(is_tuning_pass(
      *read_shared_library(made_library(EM_X86_64, "a", symbol + "s", Symbol::offered) + symbol)));
}

}  // namespace
}  // namespace mstune
