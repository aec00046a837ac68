#include "common/os/cann_version.h"

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/identity.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kInfoBytesMax = 64 * 1024;

}  // namespace

std::string version_in(const fs::path& info_file) {
  std::error_code failure;
  if (!fs::is_regular_file(info_file, failure)) {
    return {};
  }
  std::string text;
  try {
    text = read_file(info_file, kInfoBytesMax);
  } catch (const Error&) {
    return {};  // not readable for this user: not known
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    for (const std::string_view key : {"version=", "Version="}) {
      if (line.starts_with(key)) {
        std::string value(line.substr(key.size()));
        std::erase(value, '"');
        return value.substr(0, value.find_first_of(" \t\r"));
      }
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::string cann_version_at(const fs::path& home) {
  if (home.empty()) {
    return {};
  }
  const fs::path platform = architecture() + "-linux";
  for (const fs::path& root : {home, home / "latest"}) {
    for (const fs::path& info :
         {platform / "ascend_toolkit_install.info", fs::path("opp/version.info"),
          fs::path("compiler/version.info"), fs::path("runtime/version.info")}) {
      std::string version = version_in(root / info);
      if (!version.empty()) {
        return version;
      }
    }
  }
  return {};
}

std::string cann_version_of_script(const fs::path& set_env) {
  std::string version = cann_version_at(set_env.parent_path());
  if (version.empty()) {
    std::error_code failure;
    const fs::path resolved = fs::canonical(set_env, failure);
    version = failure ? std::string() : cann_version_at(resolved.parent_path());
  }
  return version;
}

}  // namespace mstune::os
