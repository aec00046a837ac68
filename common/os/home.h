// Where this user's own files are.
//
// The same for all programs of the project, so that an agent finds what keygen made. getpwuid is
// not asked: in a static program it would need libraries that may not be there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mstune::os {

// The home of a user in the text of a passwd file; nothing where there is none, or no absolute one.
std::optional<std::string> home_in_passwd(std::string_view passwd, std::uint64_t user);

// HOME, where it is absolute, else this user's in /etc/passwd; nothing where neither says one.
// `environment` holds "NAME=value".
std::optional<std::string> home_directory(std::span<const std::string> environment);

// "~" and "~/…" in this user's home; other paths are left alone. Throws an environment error
// "home.unknown"; `option` is what a person may give instead.
std::string in_home(std::string_view path, std::span<const std::string> environment,
                    std::string_view option);

// `variable`'s value ("XDG_CONFIG_HOME") where it is absolute, else `below_home` (".config") in the
// home. Throws an environment error: as above, or "home.missing" where the home is not there.
std::filesystem::path user_directory(std::span<const std::string> environment,
                                     std::string_view variable, std::string_view below_home,
                                     std::string_view option);

}  // namespace mstune::os
