#include "agent/work_directory.h"

#include <fcntl.h>
#include <sys/file.h>

#include <thread>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/os/process_tree.h"
#include "common/os/tree_ending.h"
#include "common/time.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

// A killed agent's keeper ends everybody by itself; what is in the kernel may keep it longer.
void wait_for_keeper(const fs::path& trial) {
  constexpr Duration kWaitMax = std::chrono::seconds(10);
  constexpr Duration kAskEvery = std::chrono::milliseconds(10);
  const os::UniqueFd lock(::open((trial / kKeeperLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  const TimePoint limit = os::steady_now() + kWaitMax;
  while (lock.valid() && ::flock(lock.value(), LOCK_EX | LOCK_NB) != 0 &&
         os::steady_now() < limit) {
    std::this_thread::sleep_for(kAskEvery);
  }
}

// Of a former release, or cut by whatever ended the agent: not known.
std::string campaign_of(const fs::path& trial) {
  try {
    return os::read_file(trial / kCampaignFile);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

os::UniqueFd claim_work_directory(const fs::path& work_dir) {
  os::make_private_directory(work_dir);
  const fs::path path = work_dir / "lock";
  os::UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid() || ::flock(lock.value(), LOCK_EX | LOCK_NB) != 0) {
    throw environment_error("agent.work_dir_in_use",
                            "another agent uses {}: end it, or give this one a --work-dir of its "
                            "own",
                            work_dir.string());
  }
  return lock;
}

// The name of a trial's directory is its cookie: whatever process still carries it belongs to an
// agent that is no more.
std::map<std::string, FormerLife> clear_former_life(const fs::path& work_dir) {
  const fs::path trials = work_dir / "trials";
  os::make_private_directory(trials);
  std::map<std::string, FormerLife> lives;
  for (const fs::directory_entry& entry : fs::directory_iterator(trials)) {
    FormerLife& life = lives[campaign_of(entry.path())];
    os::TreeIdentity tree{
        0, fmt::format("{}={}", kCookieName, entry.path().filename().string()), {}};
    life.processes += os::find_tree(tree).size();
    os::TreeEnder ender(tree, {});
    while (ender.step(os::steady_now()) == os::EndingState::going_on) {
      std::this_thread::sleep_for(os::time_left(ender.deadline(), os::steady_now()));
    }
    wait_for_keeper(entry.path());
    os::remove_tree(entry.path());
    ++life.directories;
  }
  return lives;
}

Message sentence_of(const FormerLife& life) {
  return message("agent.former_life",
                 "the agent was started again: it ended {} processes and removed {} trial "
                 "directories of its former life",
                 life.processes, life.directories);
}

}  // namespace mstune::agent
