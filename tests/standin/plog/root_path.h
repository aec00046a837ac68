// Where the logs of a process go: the choice between three places. Pure; the file system is asked
// through a function.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace standin::plog {

// Gives the resolved directory for a wanted one, having made it if need be, or nothing when it
// cannot be used.
using DirectoryProbe = std::function<std::optional<std::string>(const std::string& wanted)>;

struct RootWishes {
  std::string process_log_path;  // ASCEND_PROCESS_LOG_PATH, empty when unset
  std::string work_path;         // ASCEND_WORK_PATH, empty when unset
  std::string passwd_home;       // of getpwuid, not $HOME
};

// A variable of more than that is passed over.
inline constexpr std::size_t kWishBytesMax = 255;

// The first usable of: the process log path, <work path>/log, <home>/ascend/log. One that cannot be
// used is passed over in silence.
std::optional<std::string> choose_root(const RootWishes& wishes, const DirectoryProbe& probe);

// False for a resolved root of 247 bytes or more: "/security" would not fit into the 255 that are
// allowed, and then no channel is written at all.
bool root_fits(const std::string& root);

// Where a directory that does not exist is made: the parts of `wanted` below "/", so that a
// relative path ends up there too, wherever the process stands.
std::string creation_path(const std::string& wanted);

}  // namespace standin::plog
