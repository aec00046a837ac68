#include "tests/standin/device/state_directory.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace standin::device {
namespace {

namespace fs = std::filesystem;

// The library or the program that this code was linked into.
fs::path own_file() {
  Dl_info info{};
  std::error_code failed;
  fs::path file;
  if (dladdr(reinterpret_cast<const void*>(&state_directory), &info) != 0) {
    file = fs::canonical(info.dli_fname, failed);
  }
  // For a program it is argv[0], which need not be a path.
  return failed || file.empty() ? fs::read_symlink("/proc/self/exe", failed) : file;
}

}  // namespace

std::string state_directory() {
  for (const char* name : {"STANDIN_STATE_DIR", "ASCEND_HOME_PATH"}) {
    const char* const value = getenv(name);
    if (value != nullptr && *value != '\0') {
      const std::string directory = value;
      return name == std::string("STANDIN_STATE_DIR") ? directory : directory + "/state";
    }
  }
  for (fs::path directory = own_file().parent_path(); directory.has_relative_path();
       directory = directory.parent_path()) {
    std::error_code failed;
    if (fs::exists(directory / "set_env.sh", failed)) {
      return (directory / "state").string();
    }
  }
  return "";
}

}  // namespace standin::device
