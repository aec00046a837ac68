#include "tests/standin/plog/log_directory.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "tests/standin/plog/root_path.h"

namespace standin::plog {
namespace {

std::optional<std::string> resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

}  // namespace

bool make_directory(const std::string& path) {
  constexpr mode_t mode = 0750;
  if (mkdir(path.c_str(), mode) == 0) {
    chmod(path.c_str(), mode);
    return true;
  }
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    if (!make_directory(path.substr(0, end))) {
      return false;
    }
  }
  return make_directory(path);
}

std::optional<std::string> usable_directory(const std::string& wanted) {
  auto path = resolved(wanted);
  if (!path) {
    if (errno != ENOENT || !make_directories(creation_path(wanted))) {
      return std::nullopt;
    }
    path = resolved(creation_path(wanted));
  }
  return path && access(path->c_str(), W_OK) == 0 ? path : std::nullopt;
}

std::string passwd_home() {
  const passwd* const entry = getpwuid(getuid());
  return entry == nullptr || entry->pw_dir == nullptr ? "" : entry->pw_dir;
}

}  // namespace standin::plog
