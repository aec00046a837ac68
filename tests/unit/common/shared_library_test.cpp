#include "common/shared_library.h"

#include <elf.h>

#include <cstring>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace mstune {
namespace {

constexpr const char* kOldConstructor = "_ZN2ge20PassRegistrationDataC1ESs";
constexpr const char* kNewConstructor =
    "_ZN2ge20PassRegistrationDataC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Elf64_Shdr section(std::uint32_t type, std::uint64_t offset, std::uint64_t size,
                   std::uint32_t link) {
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_link = link;
  return header;
}

// A library with one dependency and one symbol, and nothing that would run.
std::string library_of(std::uint16_t machine, const std::string& needed,
                       const std::string& symbol) {
  std::string strings(1, '\0');
  const std::uint64_t needed_at = strings.size();
  strings += needed + '\0';
  const std::uint64_t symbol_at = strings.size();
  strings += symbol + '\0';

  std::string dynamic;
  Elf64_Dyn entry{};
  entry.d_tag = DT_NEEDED;
  entry.d_un.d_val = needed_at;
  append(dynamic, entry);
  append(dynamic, Elf64_Dyn{});
  std::string symbols;
  append(symbols, Elf64_Sym{});
  Elf64_Sym wanted{};
  wanted.st_name = static_cast<std::uint32_t>(symbol_at);
  append(symbols, wanted);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  const std::uint64_t strings_at = sizeof header;
  const std::uint64_t dynamic_at = strings_at + strings.size();
  const std::uint64_t symbols_at = dynamic_at + dynamic.size();
  header.e_shoff = symbols_at + symbols.size();

  std::string bytes;
  append(bytes, header);
  bytes += strings + dynamic + symbols;
  append(bytes, section(SHT_NULL, 0, 0, 0));
  append(bytes, section(SHT_STRTAB, strings_at, strings.size(), 0));
  append(bytes, section(SHT_DYNAMIC, dynamic_at, dynamic.size(), 1));
  append(bytes, section(SHT_DYNSYM, symbols_at, symbols.size(), 1));
  return bytes;
}

TEST_CASE("shared library: machine, needs and symbols are read") {
  const auto library = read_shared_library(library_of(EM_AARCH64, "libgraph.so", kOldConstructor));
  REQUIRE(library);
  CHECK(library->architecture == "aarch64");
  CHECK(library->needed == std::vector<std::string>{"libgraph.so"});
  CHECK(library->symbols == std::vector<std::string>{kOldConstructor});
}

TEST_CASE("shared library: a machine without a name is told by its number") {
  CHECK(read_shared_library(library_of(EM_X86_64, "a", "b"))->architecture == "x86_64");
  CHECK(read_shared_library(library_of(EM_RISCV, "a", "b"))->architecture == "machine 243");
}

TEST_CASE("shared library: the constructor that is asked for tells which std::string") {
  const auto abi = [](const char* symbol) {
    return registration_abi(*read_shared_library(library_of(EM_X86_64, "a", symbol)));
  };
  CHECK(abi(kOldConstructor) == "old");
  CHECK(abi(kNewConstructor) == "new");
  CHECK(abi("_ZN2ge5GraphC1EPKc") == "");
}

TEST_CASE("shared library: what is no library, or cut anywhere, is nothing") {
  CHECK_FALSE(read_shared_library(""));
  CHECK_FALSE(read_shared_library("#!/bin/sh\n"));
  const std::string whole = library_of(EM_X86_64, "libgraph.so", kOldConstructor);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(read_shared_library(std::string_view(whole).substr(0, length)));
  }
}

TEST_CASE("shared library: damaged bytes never lead out of the file") {
  const std::string whole = library_of(EM_X86_64, "libgraph.so", kOldConstructor);
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

}  // namespace
}  // namespace mstune
