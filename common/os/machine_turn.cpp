#include "common/os/machine_turn.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

namespace mstune::os {
namespace {

// A byte of the file for each thing that is to be known of others. Who measures, moves or waits has
// a shared lock on it.
constexpr int kMeasures = 0;
constexpr int kMoves = 1;
constexpr int kWantsToMeasure = 2;
constexpr int kWantsToMove = 3;

struct Places {
  int own;
  int own_wish;
  int others;
  int others_wish;
};

Places places_of(Activity activity) {
  return activity == Activity::measuring ? Places{kMeasures, kWantsToMeasure, kMoves, kWantsToMove}
                                         : Places{kMoves, kWantsToMove, kMeasures, kWantsToMeasure};
}

struct flock range(int place, int type) {
  struct flock range {};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  return range;
}

bool is_same_file(int descriptor, const std::filesystem::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

std::filesystem::path turn_directory() {
  const char* chosen = std::getenv("MSTUNE_TURN_DIRECTORY");  // NOLINT(concurrency-mt-unsafe)
  return chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen;
}

MachineTurn::MachineTurn(Activity activity, const std::filesystem::path& directory)
    : activity_(activity), path_(directory / kTurnFile) {}

// Whoever comes first makes it, for all users. Reading is enough for a shared lock, and where a
// directory is everybody's, the kernel may refuse to open the file of another to be made or
// written.
void MachineTurn::open_file() {
  if (file_.valid() && is_same_file(file_.value(), path_)) {
    return;
  }
  // The first time, or somebody tidied it away: whoever comes now meets the others at a new one.
  held_ = false;
  waits_ = false;
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  file_ = UniqueFd(::open(path_.c_str(), kFlags));
  if (!file_.valid()) {
    file_ = UniqueFd(::open(path_.c_str(), kFlags | O_CREAT | O_EXCL, 0444));
    if (file_.valid()) {
      ::fchmod(file_.value(), 0444);  // whatever the umask is
    } else {
      file_ = UniqueFd(::open(path_.c_str(), kFlags));  // another was faster
    }
  }
}

bool MachineTurn::lock(int place) {
  struct flock wanted = range(place, F_RDLCK);
  return ::fcntl(file_.value(), F_OFD_SETLK, &wanted) == 0;
}

void MachineTurn::unlock(int place) {
  struct flock wanted = range(place, F_UNLCK);
  ::fcntl(file_.value(), F_OFD_SETLK, &wanted);
}

bool MachineTurn::others_have(int place) const {
  struct flock found = range(place, F_WRLCK);
  return ::fcntl(file_.value(), F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

bool MachineTurn::take() {
  open_file();
  const Places places = places_of(activity_);
  if (activity_ == Activity::measuring && others_have(places.others_wish)) {
    waits_ = lock(places.own_wish);
    return false;
  }
  if (held_) {
    withdraw();
    return true;
  }
  works_ = lock(places.own);
  if (!works_) {
    return true;
  }
  // Looked at behind the lock: of two that begin at once, one at least sees the other.
  held_ = !others_have(places.others);
  if (held_) {
    withdraw();
  } else {
    unlock(places.own);
    waits_ = lock(places.own_wish);
  }
  return held_;
}

void MachineTurn::release() {
  if (held_) {
    unlock(places_of(activity_).own);
    held_ = false;
  }
}

void MachineTurn::withdraw() {
  if (waits_) {
    unlock(places_of(activity_).own_wish);
    waits_ = false;
  }
}

bool MachineTurn::is_shared() const {
  return others_have(places_of(activity_).own);
}

bool MachineTurn::others_wait() const {
  return others_have(places_of(activity_).others_wish);
}

}  // namespace mstune::os
