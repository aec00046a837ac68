#include "common/os/home.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "common/error.h"
#include "common/os/file.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPasswd = "/etc/passwd";
constexpr std::size_t kUserField = 2;
constexpr std::size_t kHomeField = 5;

std::string_view field(std::string_view line, std::size_t number) {
  for (; number > 0; --number) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) {
      return {};
    }
    line.remove_prefix(colon + 1);
  }
  return line.substr(0, line.find(':'));
}

std::string_view value_of(std::span<const std::string> environment, std::string_view variable) {
  for (const std::string_view entry : environment) {
    if (entry.size() > variable.size() && entry.starts_with(variable) &&
        entry[variable.size()] == '=') {
      return entry.substr(variable.size() + 1);
    }
  }
  return {};
}

std::string passwd_text() {
  std::error_code failure;
  if (!fs::is_regular_file(kPasswd, failure)) {
    return {};
  }
  try {
    return read_file(kPasswd);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::optional<std::string> home_in_passwd(std::string_view passwd, std::uint64_t user) {
  while (!passwd.empty()) {
    const std::string_view line = passwd.substr(0, passwd.find('\n'));
    passwd.remove_prefix(std::min(passwd.size(), line.size() + 1));
    const std::string_view number = field(line, kUserField);
    std::uint64_t found = 0;
    const auto [end, failure] =
        std::from_chars(number.data(), number.data() + number.size(), found);
    const bool is_this_user = failure == std::errc() && end == number.data() + number.size() &&
                              !number.empty() && found == user;
    if (is_this_user) {
      const std::string_view home = field(line, kHomeField);
      return home.starts_with('/') ? std::optional(std::string(home)) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::string> home_directory(std::span<const std::string> environment) {
  if (const auto home = value_of(environment, "HOME"); home.starts_with('/')) {
    return std::string(home);
  }
  return home_in_passwd(passwd_text(), ::geteuid());
}

namespace {

std::string known_home(std::span<const std::string> environment, std::string_view option) {
  const auto home = home_directory(environment);
  if (!home) {
    throw environment_error("home.unknown",
                            "this user ({}) has no home: HOME is not set to an absolute path, and "
                            "/etc/passwd has none; set HOME, or give {}",
                            ::geteuid(), option);
  }
  return *home;
}

}  // namespace

std::string in_home(std::string_view path, std::span<const std::string> environment,
                    std::string_view option) {
  const bool is_in_home = path == "~" || path.starts_with("~/");
  return is_in_home ? expand_home(path, known_home(environment, option)) : std::string(path);
}

fs::path user_directory(std::span<const std::string> environment, std::string_view variable,
                        std::string_view below_home, std::string_view option) {
  if (const auto value = value_of(environment, variable); value.starts_with('/')) {
    return value;
  }
  const std::string home = known_home(environment, option);
  std::error_code failure;
  if (!fs::is_directory(home, failure)) {
    throw environment_error("home.missing",
                            "the home of this user, {}, is not there: set HOME to a directory that "
                            "is, or give {}",
                            home, option);
  }
  return fs::path(home) / below_home;
}

}  // namespace mstune::os
