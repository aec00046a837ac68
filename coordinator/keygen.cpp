#include "coordinator/keygen.h"

#include <fmt/format.h>

#include "common/os/file.h"
#include "common/os/key_file.h"
#include "coordinator/identity.h"

namespace mstune::coordinator {

namespace fs = std::filesystem;

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

}  // namespace mstune::coordinator
