#include "agent/execution.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "agent/exited_limits.h"
#include "agent/line_filter.h"
#include "agent/plog_look.h"
#include "agent/work_directory.h"
#include "common/error.h"
#include "common/event_line.h"
#include "common/os/clock.h"
#include "common/os/failure.h"
#include "common/os/process_environment.h"
#include "common/os/process_table.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

// Reads are this far apart, unless there is more than one of them takes: a STEP line is passed on
// within it, and a program that writes a thousand lines a second wakes the agent about 80 times.
constexpr Duration kReadEvery = std::chrono::milliseconds(12);
// The watches report everything; a look at all files is for what no watch can see.
constexpr Duration kRescanEvery = std::chrono::seconds(10);
constexpr Duration kRescanEveryUnwatched = std::chrono::milliseconds(100);
constexpr Duration kTreeLookEvery = std::chrono::seconds(5);
constexpr Duration kFirstLook = std::chrono::milliseconds(300);  // before steps are measured
constexpr std::size_t kWarningKept = 400;
// So many times what is kept of a program's plog may stand on disk unread.
constexpr std::uint64_t kPlogExcess = 64;
constexpr std::uint64_t kPlogSmall = std::uint64_t{1} << 20U;  // a smaller limit counts as this
constexpr std::uint64_t kOutputFlows = std::uint64_t{256} << 10U;
constexpr std::size_t kBytesPerRead = std::size_t{4} << 20U;

void add_if_known(protocol::Facts& facts, const char* name,
                  const std::optional<std::int64_t>& number) {
  if (number) {
    add_fact(facts, name, *number);
  }
}

// Who starts the agent again waits for it, where a killed agent's keeper is still at work.
os::UniqueFd lock_of_keeper(const fs::path& directory) {
  os::UniqueFd lock(
      ::open((directory / kKeeperLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid() || ::flock(lock.value(), LOCK_EX | LOCK_NB) != 0) {
    throw environment_error("agent.cannot_lock", "cannot lock {} in the agent's --work-dir: {}",
                            (directory / kKeeperLock).string(), os::reason(errno));
  }
  return lock;
}

os::KeeperOptions keeper_options(std::vector<int> held, const os::UniqueFd& lock,
                                 const std::optional<os::TrialCgroup>& cgroup) {
  held.push_back(lock.value());
  return {std::move(held), cgroup ? cgroup->entry() : -1};
}

}  // namespace

os::LogTail Execution::make_tail(const fs::path& directory,
                                 const std::shared_ptr<TailFindings>& found) {
  const auto is_wanted = [found](std::string_view line) {
    found->has_ge = found->has_ge || is_of_ge(line);
    return is_wanted_line(line);
  };
  return os::LogTail(
      directory, is_wanted,
      [found](const std::string& source, std::uint64_t number, std::string_view line) {
        if (auto event = event_of("plog/" + source, number, line)) {
          found->lines.push_back(std::move(*event));
        }
      });
}

Execution::Execution(fs::path directory, const os::SpawnRequest& request, const KeepLimits& limits,
                     TimePoint now, std::vector<int> held)
    : directory_(std::move(directory)),
      output_(directory_ / "stdout.log", limits.output),
      found_(std::make_shared<TailFindings>()),
      tail_(make_tail(directory_ / "plog", found_)),
      plog_limit_(directory_ / "plog", limits.plog_bytes),
      kept_(lock_of_keeper(directory_)),
      cgroup_(os::TrialCgroup::make("mstune-" + directory_.filename().string())),
      process_(request, keeper_options(std::move(held), kept_, cgroup_)),
      read_buffer_(64 * 1024),
      next_rescan_(after(now, kRescanEvery)),
      next_look_(after(now, kFirstLook)),
      variables_(request.environment, ::geteuid()),
      free_before_(free_bytes(directory_)) {
  kept_.reset();  // the keeper has it
}

std::vector<int> Execution::descriptors(TimePoint now) const {
  std::vector<int> result;
  if (!ended_ && !process_.is_over()) {
    result.push_back(process_.news());
  }
  if (now >= next_read_ && !paused_) {
    result.push_back(tail_.descriptor());
    if (!output_ended_) {
      result.push_back(process_.output());
    }
  }
  return result;
}

TimePoint Execution::deadline() const {
  TimePoint earliest = paused_ ? next_look_ : std::min(next_rescan_, next_look_);
  if (next_read_ != TimePoint::min() && !paused_) {
    earliest = std::min(earliest, next_read_);
  }
  return ender_ ? std::min(earliest, ender_->deadline()) : earliest;
}

void Execution::read_output(std::vector<protocol::Event>& lines) {
  std::size_t budget = kBytesPerRead;
  while (!output_ended_ && budget > 0) {
    const os::Chunk chunk = os::read_chunk(process_.output(), read_buffer_);
    output_ended_ = chunk.ended;
    if (chunk.bytes.empty()) {
      return;
    }
    budget -= std::min(budget, chunk.bytes.size());
    output_.append(chunk.bytes);
    output_lines_.feed(chunk.bytes, [&](std::uint64_t number, std::string_view line) {
      take_line(number, line, lines);
    });
  }
}

// Of its output: CANN can be told to log there.
void Execution::take_line(std::uint64_t number, std::string_view line,
                          std::vector<protocol::Event>& lines) {
  if (const auto warning = line.find("[LOG_WARNING]");
      warning != std::string_view::npos && log_warning_.empty()) {
    log_warning_ = line.substr(warning, kWarningKept);
  }
  found_->has_ge = found_->has_ge || is_of_ge(line);
  if (auto event = event_of("stdout.log", number, line)) {
    lines.push_back(std::move(*event));
  }
}

void Execution::take_plog_lines(std::vector<protocol::Event>& lines) {
  lines.insert(lines.end(), std::make_move_iterator(found_->lines.begin()),
               std::make_move_iterator(found_->lines.end()));
  found_->lines.clear();
}

// What the agent's variables became on their way: wrappers and launchers drop some.
void Execution::look_at_processes() {
  std::vector<SeenProcess> seen;
  for (const os::ProcessInfo& process :
       os::list_below(process_.keeper()).value_or(std::vector<os::ProcessInfo>())) {
    if (process.state != 'Z' && process.state != 'X') {
      seen.push_back({os::environment_of(process.key.id), os::owner_of(process.key.id)});
    }
  }
  variables_.take(seen);
}

std::vector<protocol::Event> Execution::read(TimePoint now) {
  std::vector<protocol::Event> lines;
  if (now >= next_look_) {
    look_at_processes();
    too_much_plog_ =
        plog_limit_.bytes_on_disk() > kPlogExcess * std::max(plog_limit_.limit_bytes(), kPlogSmall);
    next_look_ = ender_ ? kNever : after(now, kTreeLookEvery);
  }
  if (now < next_read_ || paused_) {
    return lines;
  }
  if (now >= next_rescan_) {
    tail_.rescan();
    next_rescan_ = after(now, tail_.is_watching_all() ? kRescanEvery : kRescanEveryUnwatched);
  }
  const std::uint64_t output_before = output_.bytes();
  const std::uint64_t bytes_before = output_before + tail_.counts().bytes;
  read_output(lines);
  // So much at a time, and the program would soon wait for room in the pipe.
  const bool output_flows = output_.bytes() >= output_before + kOutputFlows;
  const bool more = tail_.read(kBytesPerRead) || output_flows;
  take_plog_lines(lines);
  limit_plog();
  const bool quiet = !more && output_.bytes() + tail_.counts().bytes == bytes_before;
  // Where nothing was written the descriptors are polled again, and the agent sleeps until then.
  // What could not be read at one go is text that cannot be freed on disk: no time is to be lost.
  next_read_ = quiet ? TimePoint::min() : more ? now : after(now, kReadEvery);
  return lines;
}

bool Execution::take_exit() {
  process_.take_news();
  if (exit_taken_ || !process_.status()) {
    return false;
  }
  exit_taken_ = true;
  exit_wall_us_ = os::wall_us();
  return true;
}

void Execution::begin_end() {
  if (!ender_) {
    ender_.emplace(process_, cgroup_ ? &*cgroup_ : nullptr, os::EndingLimits{});
  }
}

std::optional<std::int32_t> Execution::step_end(TimePoint now) {
  process_.take_news();
  if (!ender_ || ended_ || (now < ender_->deadline() && !process_.is_over())) {
    return std::nullopt;
  }
  const os::EndingState state = ender_->step(now);
  if (state == os::EndingState::going_on) {
    return std::nullopt;
  }
  ended_ = true;
  if (state == os::EndingState::stuck) {
    stuck_ = ender_->keeper();
  }
  exit_taken_ = true;
  // A program that cannot be killed has no exit status yet.
  return process_.status().value_or(-SIGKILL);
}

std::vector<os::ProcessInfo> Execution::left() const {
  return ender_ ? ender_->left() : std::vector<os::ProcessInfo>();
}

std::vector<os::ProcessInfo> Execution::left_behind() const {
  return ender_ ? ender_->left_behind() : std::vector<os::ProcessInfo>();
}

bool Execution::drain(std::vector<protocol::Event>& lines) {
  read_output(lines);
  const bool more_plog = tail_.finish(kBytesPerRead);
  take_plog_lines(lines);
  const bool more_output = !output_ended_ && os::wait_readable(process_.output(), Duration::zero());
  if (more_plog || more_output) {
    return true;
  }
  output_lines_.finish(
      [&](std::uint64_t number, std::string_view line) { take_line(number, line, lines); });
  output_.finish();
  plog_limited_at_ = 0;
  limit_plog();
  return false;
}

void Execution::limit_plog() {
  const std::uint64_t read = tail_.counts().bytes;
  if (read >= plog_limited_at_ + plog_limit_.worth_a_look_bytes()) {
    plog_limited_at_ = read;
    plog_limit_.apply([this](const fs::path& path) { return tail_.read_up_to(path); });
  }
}

std::string names_of(const std::vector<os::ProcessInfo>& processes) {
  std::vector<std::string> names;
  for (const os::ProcessInfo& process : processes) {
    names.push_back(fmt::format("{} ({})", process.key.id, process.name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

protocol::Facts Execution::facts() const {
  protocol::Facts facts;
  const os::LogTailCounts& counts = tail_.counts();
  const auto add = [&](const char* name, std::uint64_t number) {
    add_fact(facts, name, static_cast<std::int64_t>(number));
  };
  add("output_bytes", output_.bytes());
  add("plog_files", counts.files);
  add("plog_bytes", counts.bytes);
  add("plog_lines", counts.lines);
  add("plog_dropped_bytes", plog_limit_.dropped_bytes());
  add("plog_lost_files", counts.lost_files);
  add("plog_unreadable", counts.unreadable);
  add("ge_lines", found_->has_ge ? 1 : 0);
  add_plog_facts(directory_ / "plog", facts);
  variables_.add_facts(facts);
  add_if_known(facts, "log_free_bytes_before", free_before_);
  add_if_known(facts, "log_free_bytes_after", free_bytes(directory_));
  add_if_known(facts, "exit_wall_us", exit_wall_us_);
  if (!log_warning_.empty()) {
    add_fact(facts, "log_warning", log_warning_);
  }
  if (const auto left = left_behind(); !left.empty()) {
    add("left_running", left.size());
    add_fact(facts, "left_running_names", names_of(left));
  }
  return facts;
}

std::vector<Message> Execution::losses() const {
  std::vector<Message> losses;
  if (output_.dropped() > 0) {
    losses.push_back(
        message("trial.output_dropped",
                "{} bytes from the middle of its output were not kept (--output-limit)",
                output_.dropped()));
  }
  if (output_.failure()) {
    losses.push_back(*output_.failure());
  }
  if (plog_limit_.dropped_bytes() > 0) {
    losses.push_back(message("trial.plog_dropped",
                             "{} bytes of its plog were not kept, the oldest (16 times "
                             "--output-limit are); their STEP lines were read before",
                             plog_limit_.dropped_bytes()));
  }
  if (tail_.counts().lost_files > 0) {
    losses.push_back(message("trial.plog_lost",
                             "{} of its plog files were removed before their end was read: STEP "
                             "lines may lack",
                             tail_.counts().lost_files));
  }
  if (tail_.counts().unreadable > 0) {
    losses.push_back(message("trial.plog_unreadable",
                             "{} plog files or directories of it could not be read",
                             tail_.counts().unreadable));
  }
  return losses;
}

std::vector<KeptFile> Execution::files() const {
  std::vector<KeptFile> result;
  const auto add = [&](const fs::path& path, std::uint64_t size) {
    const std::uint64_t begin = std::min(plog_limit_.begin_of(directory_ / path), size);
    result.push_back({{{path.string() + (begin > 0 ? ".end" : "")}, size - begin}, path, begin});
  };
  std::error_code failure;
  const auto output_size = fs::file_size(directory_ / "stdout.log", failure);
  add("stdout.log", failure ? 0 : output_size);
  failure.clear();
  fs::recursive_directory_iterator walk(directory_ / "plog", failure);
  for (; !failure && walk != fs::recursive_directory_iterator(); walk.increment(failure)) {
    const fs::directory_entry& entry = *walk;
    if (entry.is_regular_file(failure) && !entry.is_symlink(failure)) {
      add(fs::relative(entry.path(), directory_), entry.file_size(failure));
    }
  }
  std::sort(result.begin() + 1, result.end(),
            [](const KeptFile& left, const KeptFile& right) { return left.path < right.path; });
  return result;
}

}  // namespace mstune::agent
