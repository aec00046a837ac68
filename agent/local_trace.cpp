#include "agent/local_trace.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <system_error>

#include <fmt/format.h>

#include "agent/work_directory.h"
#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/new_file.h"
#include "common/os/process_table.h"
#include "common/os/process_tree.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTraceBytesMax = 8192;
constexpr Duration kAliveLookEvery = std::chrono::milliseconds(20);

bool is_alive(const os::ProcessKey& process) {
  os::ProcessInfo found;
  return os::look_up(process.id, found) && found.key == process && found.state != 'Z';
}

os::ProcessKey key_of(pid_t id) {
  os::ProcessInfo found;
  return os::look_up(id, found) ? found.key : os::ProcessKey{id, 0};
}

bool ends_within(const os::ProcessKey& process, Duration wait) {
  const TimePoint until = after(os::steady_now(), wait);
  while (is_alive(process)) {
    if (os::steady_now() >= until) {
      return false;
    }
    ::usleep(static_cast<useconds_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(kAliveLookEvery).count()));
  }
  return true;
}

// The file can be written by this user alone, but a mistake in it must not cost more than a
// directory that such an agent made.
bool is_fit(const fs::path& work_dir) {
  return work_dir.is_absolute() && work_dir.filename().string().starts_with("mstune-");
}

}  // namespace

// "BOOT AGENT START COORDINATOR START\nWORK_DIR\n"
std::string trace_text(const LocalAgentTrace& trace) {
  return fmt::format("{} {} {} {} {}\n{}\n", trace.boot_id, trace.agent.id, trace.agent.start_ticks,
                     trace.coordinator.id, trace.coordinator.start_ticks, trace.work_dir.string());
}

std::optional<LocalAgentTrace> parse_trace(std::string_view text) {
  const auto first = text.find('\n');
  if (first == std::string_view::npos || text.size() < first + 3 || text.back() != '\n') {
    return std::nullopt;
  }
  LocalAgentTrace trace;
  trace.work_dir = std::string(text.substr(first + 1, text.size() - first - 2));
  std::string_view line = text.substr(0, first);
  const auto boot_end = line.find(' ');
  if (boot_end == std::string_view::npos) {
    return std::nullopt;
  }
  trace.boot_id = line.substr(0, boot_end);
  line.remove_prefix(boot_end);
  const auto read = [&line](auto& number) {
    if (!line.starts_with(' ')) {
      return false;
    }
    const char* const end = line.data() + line.size();
    const auto [next, failure] = std::from_chars(line.data() + 1, end, number);
    line.remove_prefix(static_cast<std::size_t>(next - line.data()));
    return failure == std::errc{};
  };
  const bool is_whole = read(trace.agent.id) && read(trace.agent.start_ticks) &&
                        read(trace.coordinator.id) && read(trace.coordinator.start_ticks);
  return is_whole && line.empty() && trace.agent.id > 0 ? std::optional(trace) : std::nullopt;
}

LocalTrace::LocalTrace(const fs::path& directory, const fs::path& work_dir, Duration ending_max)
    : traces_(directory / fmt::format("mstune-agents-{}", ::getuid())) {
  try {
    os::make_private_directory(traces_);
    // One at a time: each sees what the one before it has done.
    const os::UniqueFd lock(::open(traces_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock.valid() || ::flock(lock.value(), LOCK_EX) != 0) {
      return;
    }
    os::remove_drafts(traces_);
    for (const fs::directory_entry& entry : fs::directory_iterator(traces_)) {
      sort_out(entry.path(), ending_max);
    }
    const LocalAgentTrace own{os::boot_id(), key_of(::getpid()), key_of(::getppid()), work_dir};
    file_ = traces_ / fmt::format("{}", ::getpid());
    os::write_file_atomically(file_, trace_text(own), 0600);
  } catch (const Error& error) {
    notices_.push_back(error.message());  // it works without
  } catch (const fs::filesystem_error& error) {
    notices_.push_back(
        message("agent.no_trace", "no trace of this agent is left: {}", std::string(error.what())));
  }
}

LocalTrace::~LocalTrace() {
  if (!file_.empty()) {
    ::unlink(file_.c_str());
  }
}

void LocalTrace::sort_out(const fs::path& file, Duration ending_max) {
  const auto trace = parse_trace(os::read_file(file, kTraceBytesMax));
  if (trace && trace->boot_id == os::boot_id() && is_alive(trace->agent)) {
    if (is_alive(trace->coordinator)) {
      return;  // at work
    }
    if (!ends_within(trace->agent, ending_max)) {
      os::signal_process(trace->agent, SIGKILL);
      ends_within(trace->agent, ending_max);
    }
  }
  if (trace && is_fit(trace->work_dir)) {
    clear(*trace);
  }
  std::error_code failure;
  fs::remove(file, failure);
}

void LocalTrace::clear(const LocalAgentTrace& trace) {
  std::error_code failure;
  if (!fs::is_directory(trace.work_dir, failure)) {
    return;  // it ended in order
  }
  const os::UniqueFd lock = claim_work_directory(trace.work_dir);
  for (const auto& [campaign, life] : clear_former_life(trace.work_dir)) {
    notices_.push_back(message("agent.local_left",
                               "an agent of a campaign on this machine was killed: {}",
                               sentence_of(life)));
  }
  os::remove_tree(trace.work_dir);
}

}  // namespace mstune::agent
