// The agent's working directory: claimed by one agent at a time, and cleared of what a former life
// left there.
#pragma once

#include <filesystem>
#include <optional>

#include "common/message.h"
#include "common/os/descriptor.h"

namespace mstune::agent {

// The name of a trial's directory is the value of this variable in its processes.
inline constexpr const char* kCookieName = "MSTUNE_TRIAL";

// In a trial's directory: locked as long as its keeper has somebody to keep.
inline constexpr const char* kKeeperLock = "keeper";

// Makes it, 0700. Held until the descriptor is closed. Throws when another agent holds it.
os::UniqueFd claim_work_directory(const std::filesystem::path& work_dir);

// Ends processes and removes trial directories of an agent that is no more; only for who holds the
// directory. What was done, for people; nothing when there was nothing.
std::optional<Message> clear_former_life(const std::filesystem::path& work_dir);

}  // namespace mstune::agent
