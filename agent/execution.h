// One program under test with everything it writes: process, output, plog files, its end.
//
// Does what the job asks and reports what it sees; decides nothing. The server polls its
// descriptors. One trial's directory holds om/, plog/ and stdout.log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/environment.h"
#include "agent/plog_limit.h"
#include "agent/variable_look.h"
#include "common/lines.h"
#include "common/os/kept_ending.h"
#include "common/os/kept_process.h"
#include "common/os/log_tail.h"
#include "common/os/output_log.h"
#include "common/os/trial_cgroup.h"
#include "common/time.h"
#include "protocol/messages.h"

namespace mstune::agent {

// "42 (python3), 43 (sleep)".
std::string names_of(const std::vector<os::ProcessInfo>& processes);

struct KeepLimits {
  os::OutputLimits output;
  std::uint64_t plog_bytes = std::uint64_t{256} << 20U;  // on disk, while the trial runs and after
};

// A file that a coordinator can fetch.
struct KeptFile {
  protocol::TrialFile offered;  // under the name and with the size that the coordinator sees
  std::filesystem::path path;   // below the trial's directory
  std::uint64_t begin = 0;      // the byte of it that the coordinator sees as the first
};

class Execution {
 public:
  // Starts the program below a keeper of its own; `directory` exists. `held` are locks that are to
  // be held until nobody of it is left. Throws an Error when it cannot be started.
  Execution(std::filesystem::path directory, const os::SpawnRequest& request,
            const KeepLimits& limits, TimePoint now, std::vector<int> held = {});

  [[nodiscard]] pid_t id() const { return process_.id(); }

  // What may be read now; the rest is read later, so that a program that writes without pause
  // costs a bounded share of a core. Ends of lines are what make them lines.
  std::vector<protocol::Event> read(TimePoint now);

  // While paused nothing is read, and what the program writes waits. Its end is still noticed.
  void pause(bool paused) { paused_ = paused; }

  // Descriptors to poll at this time, and when to read at the latest.
  [[nodiscard]] std::vector<int> descriptors(TimePoint now) const;
  [[nodiscard]] TimePoint deadline() const;

  // True when its plog takes so much more disk than is kept of it that it has to be ended: it comes
  // faster than it can be read, or cannot be read at the moment.
  [[nodiscard]] bool has_too_much_plog() const { return too_much_plog_; }

  // True once: when the program itself has ended.
  bool take_exit();

  // From now on step_end() ends whatever of its tree is alive.
  void begin_end();
  // The exit status when nobody is left, or nobody who can be killed; nothing before.
  std::optional<std::int32_t> step_end(TimePoint now);
  // Where somebody cannot be killed: the keeper, which is there as long as anybody is.
  [[nodiscard]] const std::optional<os::ProcessKey>& stuck() const { return stuck_; }
  // Who that is; empty where they cannot be seen.
  [[nodiscard]] std::vector<os::ProcessInfo> left() const;
  // Whom the program left behind when it ended.
  [[nodiscard]] std::vector<os::ProcessInfo> left_behind() const;

  // Reads what is left after the end. True: more is left, call again.
  bool drain(std::vector<protocol::Event>& lines);

  // After the drain: what a coordinator can fetch, what was dropped, how the output ended.
  [[nodiscard]] std::vector<KeptFile> files() const;
  [[nodiscard]] const os::OutputLog& output() const { return output_; }
  // What was seen of what it wrote, for whoever has to say why something lacks.
  [[nodiscard]] protocol::Facts facts() const;
  // What was written and is not there any more, in words.
  [[nodiscard]] std::vector<Message> losses() const;

 private:
  void read_output(std::vector<protocol::Event>& lines);
  void take_line(std::uint64_t number, std::string_view line, std::vector<protocol::Event>& lines);
  void limit_plog();
  void look_at_processes();
  void take_plog_lines(std::vector<protocol::Event>& lines);

  std::filesystem::path directory_;
  os::OutputLog output_;
  LineSplitter output_lines_;
  // What the tail's functions fill.
  struct TailFindings {
    std::vector<protocol::Event> lines;
    bool has_ge = false;  // any line of GE's
  };
  static os::LogTail make_tail(const std::filesystem::path& directory,
                               const std::shared_ptr<TailFindings>& found);

  std::shared_ptr<TailFindings> found_;
  os::LogTail tail_;
  PlogLimit plog_limit_;
  std::uint64_t plog_limited_at_ = 0;  // bytes that the tail had read
  os::UniqueFd kept_;                  // before the process: locked until nobody is left
  std::optional<os::TrialCgroup> cgroup_;
  os::KeptProcess process_;
  std::vector<char> read_buffer_;
  std::optional<os::KeptEnder> ender_;
  bool exit_taken_ = false;
  bool ended_ = false;
  bool output_ended_ = false;
  bool paused_ = false;
  bool too_much_plog_ = false;
  std::optional<os::ProcessKey> stuck_;
  TimePoint next_read_ = TimePoint::min();  // min: as soon as a descriptor is readable
  TimePoint next_rescan_;
  TimePoint next_look_;  // at the size of its plog and its processes
  VariableLook variables_;
  std::string log_warning_;  // the log library's first one on stdout
  std::optional<std::int64_t> free_before_;
  std::optional<std::int64_t> exit_wall_us_;
};

}  // namespace mstune::agent
