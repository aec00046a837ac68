#include "coordinator/identity.h"

#include <string_view>

#include "common/os/file.h"
#include "common/os/key_file.h"
#include "coordinator/target.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

std::string value_of(const std::vector<std::string>& environment, std::string_view variable) {
  for (const std::string& entry : environment) {
    if (entry.size() > variable.size() && entry.starts_with(variable) &&
        entry[variable.size()] == '=') {
      return entry.substr(variable.size() + 1);
    }
  }
  return {};
}

}  // namespace

fs::path default_identity(const std::vector<std::string>& environment) {
  const std::string config = value_of(environment, "XDG_CONFIG_HOME");
  return (config.empty() ? fs::path(value_of(environment, "HOME")) / ".config" : fs::path(config)) /
         "mstune" / "id.key";
}

std::optional<os::ConnectSecurity> security_for(const Target& target,
                                                const std::vector<std::string>& environment) {
  if (!target.server_key) {
    return std::nullopt;
  }
  const fs::path path =
      target.identity_file.empty()
          ? default_identity(environment)
          : os::absolute_path(os::expand_home(target.identity_file, value_of(environment, "HOME")));
  return os::ConnectSecurity{*target.server_key, os::read_secret_key(path)};
}

}  // namespace mstune::coordinator
