#include "agent/execution.h"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <utility>

#include "common/step_record.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

// Reads are this far apart at the least: a STEP line is passed on within it, and a program that
// writes a thousand lines a second wakes the agent about 80 times.
constexpr Duration kReadEvery = std::chrono::milliseconds(12);
// The watches report everything; a look at all files is for what no watch can see.
constexpr Duration kRescanEvery = std::chrono::seconds(10);
constexpr Duration kRescanEveryUnwatched = std::chrono::seconds(1);
constexpr Duration kLookEvery = std::chrono::seconds(5);
constexpr std::size_t kBytesPerRead = std::size_t{4} << 20U;

os::SpawnRequest spawn_request(const std::vector<std::string>& command,
                               const fs::path& working_directory, Environment environment,
                               const std::string& cookie) {
  const auto equals = cookie.find('=');
  environment[cookie.substr(0, equals)] = cookie.substr(equals + 1);
  os::SpawnRequest request;
  request.command = command;
  request.environment = environment_strings(environment);
  request.working_directory = working_directory;
  return request;
}

os::LogTail make_tail(const fs::path& directory,
                      const std::shared_ptr<std::vector<protocol::StepLine>>& lines) {
  return os::LogTail(
      directory, is_step_line,
      [lines](const std::string& source, std::uint64_t number, std::string_view line) {
        lines->push_back({"plog/" + source, number, {std::string(line)}});
      });
}

}  // namespace

Execution::Execution(fs::path directory, const std::vector<std::string>& command,
                     const fs::path& working_directory, Environment environment,
                     const std::string& cookie, os::OutputLimits output_limits, TimePoint now)
    : directory_(std::move(directory)),
      output_(directory_ / "stdout.log", output_limits),
      plog_lines_(std::make_shared<std::vector<protocol::StepLine>>()),
      tail_(make_tail(directory_ / "plog", plog_lines_)),
      process_(spawn_request(command, working_directory, std::move(environment), cookie)),
      read_buffer_(64 * 1024),
      tree_{process_.id(), cookie, {}},
      next_rescan_(after(now, kRescanEvery)),
      next_look_(after(now, kLookEvery)) {}

std::vector<int> Execution::descriptors(TimePoint now) const {
  std::vector<int> result;
  if (!exit_taken_) {
    result.push_back(process_.exit_descriptor());
  }
  if (now >= next_read_) {
    result.push_back(tail_.descriptor());
    if (!output_ended_) {
      result.push_back(process_.output());
    }
  }
  return result;
}

TimePoint Execution::deadline() const {
  TimePoint earliest = std::min(next_rescan_, next_look_);
  if (next_read_ != TimePoint::min()) {
    earliest = std::min(earliest, next_read_);
  }
  return ender_ ? std::min(earliest, ender_->deadline()) : earliest;
}

void Execution::read_output(std::vector<protocol::StepLine>& lines) {
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
      if (is_step_line(line)) {
        lines.push_back({"stdout.log", number, {std::string(line)}});
      }
    });
  }
}

std::vector<protocol::StepLine> Execution::read(TimePoint now) {
  std::vector<protocol::StepLine> lines;
  if (now < next_read_) {
    return lines;
  }
  if (now >= next_rescan_) {
    tail_.rescan();
    next_rescan_ = after(now, tail_.is_watching_all() ? kRescanEvery : kRescanEveryUnwatched);
  }
  if (now >= next_look_) {
    static_cast<void>(os::find_tree(tree_));
    next_look_ = ender_ ? kNever : after(now, kLookEvery);
  }
  const std::uint64_t bytes_before = output_.bytes() + tail_.counts().bytes;
  read_output(lines);
  const bool more = tail_.read(kBytesPerRead);
  lines.insert(lines.end(), std::make_move_iterator(plog_lines_->begin()),
               std::make_move_iterator(plog_lines_->end()));
  plog_lines_->clear();
  const bool quiet = !more && output_.bytes() + tail_.counts().bytes == bytes_before;
  // Where nothing was written the descriptors are polled again, and the agent sleeps until then.
  next_read_ = quiet ? TimePoint::min() : after(now, kReadEvery);
  return lines;
}

bool Execution::take_exit() {
  if (exit_taken_ || !process_.has_exited()) {
    return false;
  }
  exit_taken_ = true;
  return true;
}

void Execution::begin_end() {
  if (!ender_) {
    ender_.emplace(tree_, os::EndingLimits{});
  }
}

std::optional<std::int32_t> Execution::step_end(TimePoint now) {
  if (!ender_ || ended_ || now < ender_->deadline()) {
    return std::nullopt;
  }
  const os::EndingState state = ender_->step(now);
  if (state == os::EndingState::going_on) {
    return std::nullopt;
  }
  ended_ = true;
  if (state == os::EndingState::stuck) {
    stuck_ = ender_->left();
  }
  exit_taken_ = true;
  const std::optional<os::Exit> exit = process_.reap();
  // A program that cannot be killed has no exit status yet.
  return exit ? exit->status : -SIGKILL;
}

bool Execution::drain(std::vector<protocol::StepLine>& lines) {
  read_output(lines);
  const bool more_plog = tail_.finish(kBytesPerRead);
  lines.insert(lines.end(), std::make_move_iterator(plog_lines_->begin()),
               std::make_move_iterator(plog_lines_->end()));
  plog_lines_->clear();
  const bool more_output = !output_ended_ && os::wait_readable(process_.output(), Duration::zero());
  if (more_plog || more_output) {
    return true;
  }
  output_lines_.finish([&](std::uint64_t number, std::string_view line) {
    if (is_step_line(line)) {
      lines.push_back({"stdout.log", number, {std::string(line)}});
    }
  });
  output_.finish();
  return false;
}

std::vector<protocol::TrialFile> Execution::files() const {
  std::vector<protocol::TrialFile> result{{"stdout.log", fs::file_size(directory_ / "stdout.log")}};
  std::error_code failure;
  fs::recursive_directory_iterator walk(directory_ / "plog", failure);
  for (; !failure && walk != fs::recursive_directory_iterator(); walk.increment(failure)) {
    const fs::directory_entry& entry = *walk;
    if (entry.is_regular_file(failure) && !entry.is_symlink(failure)) {
      result.push_back({fs::relative(entry.path(), directory_).string(), entry.file_size(failure)});
    }
  }
  std::sort(result.begin() + 1, result.end(),
            [](const auto& left, const auto& right) { return left.path < right.path; });
  return result;
}

}  // namespace mstune::agent
