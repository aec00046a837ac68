#include "common/os/identity.h"

#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "common/error.h"
#include "common/os/failure.h"
#include "common/os/file.h"

namespace mstune::os {

std::string random_hex_id(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t count = ::getrandom(random.data() + have, bytes - have, 0);
    if (count > 0) {
      have += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw environment_error("identity.no_random", "the kernel gives no random bytes: {}",
                              reason(errno));
    }
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  id.reserve(2 * bytes);
  for (const unsigned char byte : random) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 15U];
  }
  return id;
}

std::string boot_id() {
  try {
    std::string id = read_file("/proc/sys/kernel/random/boot_id");
    return id.substr(0, id.find('\n'));
  } catch (const Error&) {
    return {};
  }
}

std::string architecture() {
  utsname name{};
  return ::uname(&name) == 0 ? name.machine : "unknown";
}

std::filesystem::path program_directory() {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? std::filesystem::path() : program.parent_path();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) {
    return "localhost";
  }
  return name.data();
}

}  // namespace mstune::os
