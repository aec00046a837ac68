// The log of this process: buffers, the flush thread, and what fork does to them.
//
// One instance exists; dlog.cpp makes it when the library is loaded and finishes it on exit. What a
// process loses on SIGKILL or _exit is what stands in the buffers here.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "tests/standin/plog/line_buffer.h"
#include "tests/standin/plog/log_file.h"
#include "tests/standin/plog/settings.h"

namespace standin::plog {

class ProcessLog {
 public:
  ProcessLog(Settings settings, std::optional<std::string> root);

  void record(std::int32_t module, std::int32_t level, const char* format, std::va_list arguments);
  [[nodiscard]] bool records(std::int32_t module, std::int32_t level) const;

  // Writes all buffers in the calling thread.
  void flush();

  // Ends the flush thread and writes the rest. Later lines are dropped.
  void finish();

  // Around fork, so that the child never inherits a mutex that a thread of the parent holds.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  struct Stream {
    Stream(Channel which, std::size_t capacity) : channel(which), buffer(capacity) {}

    Channel channel;
    LineBuffer buffer;            // guarded by buffer_mutex_
    std::string flushing;         // the second buffer; guarded by flush_mutex_
    std::optional<LogFile> file;  // guarded by flush_mutex_
  };

  static void* run_flush_thread(void* self);
  void name_files(pid_t pid);
  void buffer_line(Stream& stream, std::string_view line);
  void start_flush_thread();
  void sleep_between_flushes() const;
  void write_stream(Stream& stream);
  [[nodiscard]] bool make_channel_directories();
  static void warn_once(bool& warned, const std::string& text);

  const Settings settings_;
  const std::optional<std::string> root_;  // nothing: no line is ever written
  std::atomic<pid_t> pid_;                 // of the header: after a fork the parent's, see record()
  std::mutex flush_mutex_;                 // taken before buffer_mutex_
  std::mutex buffer_mutex_;
  std::array<Stream, kChannels> streams_;
  std::atomic<bool> woken_{false};
  std::atomic<bool> finished_{false};
  bool flush_thread_runs_ = false;  // guarded by buffer_mutex_
  pthread_t flush_thread_{};
  bool warned_of_file_ = false;       // guarded by flush_mutex_
  bool warned_of_directory_ = false;  // guarded by flush_mutex_
};

}  // namespace standin::plog
