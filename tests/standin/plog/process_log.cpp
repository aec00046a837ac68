#include "tests/standin/plog/process_log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/standin/plog/line_format.h"
#include "tests/standin/plog/log_directory.h"

namespace standin::plog {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1024} * 1024;
constexpr std::size_t kSecurityBufferBytes = std::size_t{20} * 1024;

std::int64_t wall_clock_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string channel_directory(const std::string& root, Channel channel) {
  return root + "/" + std::string(channel_name(channel));
}

}  // namespace

ProcessLog::ProcessLog(Settings settings, std::optional<std::string> root)
    : settings_(std::move(settings)),
      root_(std::move(root)),
      pid_(getpid()),
      streams_{{{Channel::debug, kBufferBytes},
                {Channel::run, kBufferBytes},
                {Channel::security, kSecurityBufferBytes}}} {
  name_files(getpid());
}

bool ProcessLog::records(std::int32_t module, std::int32_t level) const {
  return channel_of(settings_.levels, module, level).has_value();
}

void ProcessLog::record(std::int32_t module, std::int32_t level, const char* format,
                        std::va_list arguments) {
  const auto channel = channel_of(settings_.levels, module, level);
  if (!channel) {
    return;
  }
  if (finished_) {
    return;
  }
  // The header is made before the process looks whether it was forked, and it looks only on the way
  // to a file. So the first line of a child carries the pid of its parent; on stdout all of them
  // do.
  const std::string line =
      format_line({level, module, pid_, program_invocation_short_name, local_time(wall_clock_us())},
                  format, arguments);
  if (settings_.to_stdout) {
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, line.data(), line.size());
    return;
  }
  pid_ = getpid();
  buffer_line(streams_.at(static_cast<std::size_t>(*channel)), line);
}

void ProcessLog::buffer_line(Stream& stream, std::string_view line) {
  std::unique_lock buffer(buffer_mutex_);
  // The thread begins with a flush, which meets the first line of a process or the first two: those
  // are on disk at once, and the next ones a period later.
  if (!flush_thread_runs_ && !finished_) {
    start_flush_thread();
  }
  while (settings_.synchronous && !stream.buffer.empty() && !stream.buffer.fits(line)) {
    buffer.unlock();
    flush();
    buffer.lock();
  }
  stream.buffer.push(line);
  if (stream.buffer.nearly_full()) {
    woken_ = true;
  }
}

void ProcessLog::start_flush_thread() {
  flush_thread_runs_ = pthread_create(&flush_thread_, nullptr, &run_flush_thread, this) == 0;
}

void* ProcessLog::run_flush_thread(void* self) {
  auto& log = *static_cast<ProcessLog*>(self);
  while (!log.finished_) {
    log.woken_ = false;
    log.flush();
    log.sleep_between_flushes();
  }
  return nullptr;
}

void ProcessLog::sleep_between_flushes() const {
  constexpr int naps = 10;
  constexpr std::chrono::milliseconds nap_time{20};
  for (int nap = 0; nap < naps && !woken_ && !finished_; ++nap) {
    std::this_thread::sleep_for(nap_time);
  }
}

void ProcessLog::flush() {
  const std::lock_guard flushing(flush_mutex_);
  for (auto& stream : streams_) {
    {
      const std::lock_guard buffer(buffer_mutex_);
      stream.buffer.swap_into(stream.flushing);
    }
    if (!stream.flushing.empty()) {
      write_stream(stream);
    }
  }
}

void ProcessLog::write_stream(Stream& stream) {
  if (!stream.file || !make_channel_directories()) {
    return;
  }
  if (const Written written = stream.file->append(stream.flushing, wall_clock_us());
      written.cut()) {
    // The reason is what an earlier call left in errno, and so says nothing of the disk.
    warn_once(warned_of_file_,
              "[LOG_WARNING] can not write log to file, file: " + stream.file->path() +
                  ", data_length: " + std::to_string(stream.flushing.size()) +
                  " bytes, write_length: " + std::to_string(written.bytes) +
                  " bytes, possible reason: " + std::strerror(EINVAL) + ".");
  }
}

bool ProcessLog::make_channel_directories() {
  // Whatever stands there will do: below a file the next step fails, in silence.
  if (access(root_->c_str(), F_OK) != 0 && !make_directories(*root_)) {
    warn_once(warned_of_directory_, "[LOG_WARNING] can not create directory, directory: " + *root_ +
                                        ", possible reason: " + std::strerror(errno) + ".");
    return false;
  }
  for (const auto& stream : streams_) {
    if (!make_directory(channel_directory(*root_, stream.channel))) {
      return false;
    }
  }
  return true;
}

// No newline at its end: it sticks to whatever the program prints next. Not flushed either: a
// program that leaves by _exit takes it along.
void ProcessLog::warn_once(bool& warned, const std::string& text) {
  if (!warned) {
    warned = true;
    std::fputs(text.c_str(), stdout);
  }
}

void ProcessLog::finish() {
  finished_ = true;
  bool joins = false;
  {
    const std::lock_guard buffer(buffer_mutex_);
    joins = std::exchange(flush_thread_runs_, false);
  }
  if (joins) {
    pthread_join(flush_thread_, nullptr);
  }
  flush();
}

void ProcessLog::name_files(pid_t pid) {
  if (!root_ || !root_fits(*root_)) {
    return;
  }
  for (auto& stream : streams_) {
    stream.file.emplace(channel_directory(*root_, stream.channel) + "/plog", pid,
                        settings_.files_max);
  }
}

void ProcessLog::before_fork() {
  flush_mutex_.lock();
  buffer_mutex_.lock();
}

void ProcessLog::after_fork_in_parent() {
  buffer_mutex_.unlock();
  flush_mutex_.unlock();
}

// The lines that wait belong to the parent, which writes them; its thread does not exist here.
void ProcessLog::after_fork_in_child() {
  for (auto& stream : streams_) {
    stream.buffer.clear();
  }
  flush_thread_runs_ = false;
  if (!settings_.old_fork) {
    name_files(getpid());
  }
  after_fork_in_parent();
}

}  // namespace standin::plog
