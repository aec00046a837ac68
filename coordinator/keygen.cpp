#include "coordinator/keygen.h"

#include <string_view>

#include <fmt/format.h>

#include "common/error.h"
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

int keygen(const KeygenOptions& options, const std::vector<std::string>& environment,
           std::ostream& out) {
  check_key_name(options.name);
  const fs::path path = os::absolute_path(options.file.empty() ? default_identity(environment)
                                                               : fs::path(options.file));
  const KeyPair pair = os::make_key_pair(options.name);
  const fs::path public_path = os::write_key_pair(path, pair);
  out << fmt::format(
      "secret key: {} (keep it here)\npublic key: {}\n  {}"
      "An agent lets its owner in who adds this line or file to its list of authorized clients;\n"
      "an agent's own public key goes into \"server_key\" of target files.\n",
      path.string(), public_path.string(), public_file_text(pair));
  return 0;
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
