// The trace that a coordinator's own agent leaves while it lives: a file of this user and this
// machine that tells which process it is, whose child, and where it works. Whoever begins here next
// finds what a crash left by it: ends the programs, removes the directory.
//
// A resident agent needs none: it finds its own working directory again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/message.h"
#include "common/os/descriptor.h"
#include "common/os/tree_ending.h"
#include "common/time.h"

namespace mstune::agent {

// What a trace tells.
struct LocalAgentTrace {
  std::string boot_id;
  os::ProcessKey agent;
  os::ProcessKey coordinator;
  std::filesystem::path work_dir;
};

std::string trace_text(const LocalAgentTrace& trace);
// Nothing for what is not whole.
std::optional<LocalAgentTrace> parse_trace(std::string_view text);

class LocalTrace {
 public:
  // Sorts out what agents left that are no more, then leaves the trace of this process, which works
  // in `work_dir`. An agent whose coordinator is gone is about to end: it is waited for as long as
  // `ending_max`, then killed. Traces are below `directory`; where that cannot be used there are
  // none.
  LocalTrace(const std::filesystem::path& directory, const std::filesystem::path& work_dir,
             Duration ending_max = std::chrono::seconds(12));
  ~LocalTrace();
  LocalTrace(const LocalTrace&) = delete;
  LocalTrace& operator=(const LocalTrace&) = delete;

  // What was found and done, for people.
  [[nodiscard]] const std::vector<Message>& notices() const { return notices_; }

 private:
  void sort_out(const std::filesystem::path& file, Duration ending_max);
  void clear(const LocalAgentTrace& trace);

  std::filesystem::path traces_;
  std::filesystem::path file_;  // empty: none was made
  std::vector<Message> notices_;
};

}  // namespace mstune::agent
