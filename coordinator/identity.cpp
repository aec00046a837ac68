#include "coordinator/identity.h"

#include "common/os/file.h"
#include "common/os/home.h"
#include "common/os/key_file.h"
#include "coordinator/target.h"

namespace mstune::coordinator {

namespace fs = std::filesystem;

fs::path default_identity(const std::vector<std::string>& environment) {
  return os::user_directory(environment, "XDG_CONFIG_HOME", ".config",
                            "--file (and \"identity_file\" in target files)") /
         "mstune" / "id.key";
}

std::optional<os::ConnectSecurity> security_for(const Target& target,
                                                const std::vector<std::string>& environment) {
  if (!target.server_key) {
    return std::nullopt;
  }
  const fs::path path = target.identity_file.empty()
                            ? default_identity(environment)
                            : os::absolute_path(os::in_home(target.identity_file, environment,
                                                            "\"identity_file\" in full"));
  return os::ConnectSecurity{*target.server_key, os::read_secret_key(path)};
}

}  // namespace mstune::coordinator
