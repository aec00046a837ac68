#include "coordinator/pass_place.h"

#include <array>
#include <filesystem>
#include <system_error>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/shared_library.h"
#include "protocol/limits.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLibraryBytesMax = 16ULL << 20U;  // what is read to look at it

std::optional<fs::path> built_library() {
  const fs::path program = os::program_directory();
  const std::array<fs::path, 4> places{fs::path("build-pass"), program, program / "../build-pass",
                                       program / "../lib/mstune"};
  for (const fs::path& place : places) {
    std::error_code failure;
    if (fs::is_regular_file(place / kPassFile, failure)) {
      return (place / kPassFile).lexically_normal();
    }
  }
  return std::nullopt;
}

fs::path find_library() {
  if (auto library = built_library()) {
    return std::move(*library);
  }
  std::error_code failure;
  const fs::path sources = (os::program_directory() / "../share/mstune/pass").lexically_normal();
  throw usage_error("pass.no_library",
                    "there is no {} yet; build it with CANN loaded: cmake -S {} -B build-pass && "
                    "cmake --build build-pass, then run this again in the same directory or name "
                    "it with --library",
                    std::string(kPassFile),
                    fs::exists(sources, failure) ? sources.string() : "pass");
}

}  // namespace

os::PassFolder pass_folder(const Variables& variables) {
  const std::string opp = value_of(variables, "ASCEND_OPP_PATH");
  std::error_code failure;
  if (opp.empty() || !fs::is_directory(opp, failure)) {
    throw environment_error(
        "pass.no_opp_path", "ASCEND_OPP_PATH is {}: source set_env.sh of CANN in bash first",
        opp.empty() ? message("pass.opp_not_set", "not set")
                    : message("pass.opp_no_directory", "\"{}\", which is no directory", opp));
  }
  return os::PassFolder(opp);
}

std::string find_pass_library(const std::string& file, std::string_view architecture) {
  const fs::path path = file.empty() ? find_library() : fs::path(file);
  std::string bytes = os::read_file(path, kLibraryBytesMax);
  const auto library = read_shared_library(bytes);
  if (!library || !is_tuning_pass(*library)) {
    throw usage_error(
        "pass.not_a_pass",
        "{} is not the tuning pass of this release: name the {} that cmake built from "
        "its pass/",
        path.string(), std::string(kPassFile));
  }
  if (library->architecture != architecture) {
    throw usage_error("pass.other_architecture",
                      "{} is for {}, that machine is {}: build it there, and name it with "
                      "--library",
                      path.string(), library->architecture, std::string(architecture));
  }
  if (bytes.size() > protocol::kPassBytesMax) {
    throw usage_error("pass.library_too_large", "{} has {}, more than {}: strip it", path.string(),
                      size_text(bytes.size()), size_text(protocol::kPassBytesMax));
  }
  return bytes;
}

std::optional<std::string> built_pass() {
  const auto library = built_library();
  return library ? std::optional(os::absolute_path(*library).string()) : std::nullopt;
}

std::optional<Message> left_behind(const Variables& variables) {
  const std::string opp = value_of(variables, "ASCEND_OPP_PATH");
  if (opp.empty()) {
    return std::nullopt;
  }
  const os::PassFolder folder(opp);
  for (const PassLease& lease : folder.leases()) {
    if (!lease.alive) {
      return message("pass.was_left",
                     "{} was ended before it could remove the pass from {}, where it records every "
                     "step of every program that asks for it: remove it with \"mstune pass "
                     "remove\", or let --manage-pass of this run do it",
                     lease.owner, folder.library().string());
    }
  }
  return std::nullopt;
}

}  // namespace mstune::coordinator
