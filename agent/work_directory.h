// The agent's working directory: claimed by one agent at a time, and cleared of what a former life
// left there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "common/message.h"
#include "common/os/descriptor.h"

namespace mstune::agent {

// The name of a trial's directory is the value of this variable in its processes.
inline constexpr const char* kCookieName = "MSTUNE_TRIAL";

// In a trial's directory: locked as long as its keeper has somebody to keep.
inline constexpr const char* kKeeperLock = "keeper";

// Makes it, 0700. Held until the descriptor is closed. Throws when another agent holds it.
os::UniqueFd claim_work_directory(const std::filesystem::path& work_dir);

// In a trial's directory: whose it is, for an agent that finds it there.
inline constexpr const char* kCampaignFile = "campaign";

// What an agent that is no more had left of a campaign.
struct FormerLife {
  std::size_t processes = 0;
  std::size_t directories = 0;  // of trials
};

// Ends processes and removes trial directories of an agent that is no more; only for who holds the
// directory. What was done, by campaigns; the name is empty where it is not known.
std::map<std::string, FormerLife> clear_former_life(const std::filesystem::path& work_dir);

Message sentence_of(const FormerLife& life);

}  // namespace mstune::agent
