// Whether the variables that the agent sets reached what runs. Pure.
//
// Looks at the processes of a trial as somebody saw them; the last look at which any could be read
// counts. Only names that the agent sets are told, never the rest of an environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/environment.h"
#include "protocol/trial_events.h"

namespace mstune::agent {

struct SeenProcess {
  std::optional<std::string> environment;  // as /proc has it; nothing: it may not be read
  std::optional<std::uint32_t> owner;
};

class VariableLook {
 public:
  // `given`: what the program was started with, "NAME=value"; `own`: whose agent this is.
  VariableLook(const std::vector<std::string>& given, std::uint32_t own);

  void take(const std::vector<SeenProcess>& processes);
  // Of a look that saw anybody: see protocol/README.md.
  void add_facts(protocol::Facts& facts) const;

 private:
  Environment given_;  // those that are told, and only these
  std::uint32_t own_;
  std::size_t seen_ = 0;  // processes of the last look
  std::size_t unreadable_ = 0;
  std::optional<std::uint32_t> other_owner_;
  std::string lost_;     // names, with blanks between them
  std::string changed_;  // "NAME=value, NAME=value"
};

}  // namespace mstune::agent
