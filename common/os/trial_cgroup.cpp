#include "common/os/trial_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <vector>

#include "common/error.h"
#include "common/os/file.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

struct Mount {
  std::string root;   // the cgroup that is mounted
  std::string point;  // where
};

// "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw": what stands
// before the "-" varies in number.
std::optional<Mount> cgroup2_mount(const std::string& line) {
  std::istringstream words(line);
  std::string skipped;
  Mount mount;
  words >> skipped >> skipped >> skipped >> mount.root >> mount.point;
  std::string word;
  while (words >> word && word != "-") {
  }
  return words >> word && word == "cgroup2" ? std::optional(mount) : std::nullopt;
}

// One of its switches, which take '1' and '0'.
void turn(const fs::path& file, char state) {
  const UniqueFd open_file(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  // Where it is refused the keeper is left.
  static_cast<void>(open_file.valid() && write_fully(open_file.value(), {&state, 1}));
}

std::string read_quietly(const fs::path& file) {
  try {
    return read_file(file);
  } catch (const Error&) {
    return {};
  }
}

std::vector<pid_t> members_of(const fs::path& directory) {
  std::istringstream numbers(read_quietly(directory / "cgroup.procs"));
  std::vector<pid_t> members;
  for (pid_t id = 0; numbers >> id;) {
    if (id > 0) {
      members.push_back(id);
    }
  }
  return members;
}

}  // namespace

std::optional<fs::path> own_cgroup(std::string_view mountinfo, std::string_view cgroup) {
  std::string own;
  std::istringstream cgroups{std::string(cgroup)};
  for (std::string line; std::getline(cgroups, line);) {
    if (line.starts_with("0::/")) {
      own = line.substr(3);
    }
  }
  std::istringstream mounts{std::string(mountinfo)};
  for (std::string line; !own.empty() && std::getline(mounts, line);) {
    const auto mount = cgroup2_mount(line);
    if (!mount) {
      continue;
    }
    const fs::path below = fs::path(own).lexically_relative(mount->root);
    if (!below.empty() && *below.begin() != "..") {
      return (fs::path(mount->point) / below).lexically_normal();
    }
  }
  return std::nullopt;
}

std::optional<TrialCgroup> TrialCgroup::make(const std::string& name) {
  const auto own =
      own_cgroup(read_quietly("/proc/self/mountinfo"), read_quietly("/proc/self/cgroup"));
  if (!own) {
    return std::nullopt;
  }
  fs::path directory = *own / name;
  if (::mkdir(directory.c_str(), 0755) != 0) {
    return std::nullopt;
  }
  UniqueFd entry(::open((directory / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!entry.valid()) {
    ::rmdir(directory.c_str());
    return std::nullopt;
  }
  return TrialCgroup(std::move(directory), std::move(entry));
}

TrialCgroup::~TrialCgroup() {
  if (!directory_.empty()) {
    ::rmdir(directory_.c_str());
  }
}

TrialCgroup::TrialCgroup(TrialCgroup&& other) noexcept
    : directory_(std::exchange(other.directory_, {})), entry_(std::move(other.entry_)) {}

TrialCgroup& TrialCgroup::operator=(TrialCgroup&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(entry_, other.entry_);
  return *this;
}

bool TrialCgroup::is_empty() const {
  return members_of(directory_).empty();
}

void TrialCgroup::kill() const {
  if (::access((directory_ / "cgroup.kill").c_str(), W_OK) == 0) {
    turn(directory_ / "cgroup.kill", '1');
    return;
  }
  turn(directory_ / "cgroup.freeze", '1');
  for (const pid_t member : members_of(directory_)) {
    ::kill(member, SIGKILL);
  }
  turn(directory_ / "cgroup.freeze", '0');
}

}  // namespace mstune::os
