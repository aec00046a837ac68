// The directories of the log tree.
#pragma once

#include <optional>
#include <string>

namespace standin::plog {

// Makes one directory with mode 0750, whatever the umask. True when it is there afterwards.
bool make_directory(const std::string& path);

// The same for one and all that is above it.
bool make_directories(const std::string& path);

// Resolves `wanted`, made with all that is above it when it does not exist. Nothing when it cannot
// be made or may not be written to. A file passes: what fails is the first flush.
std::optional<std::string> usable_directory(const std::string& wanted);

// The home directory of the passwd entry of the real user, empty when there is none.
std::string passwd_home();

}  // namespace standin::plog
