// What a set_env.sh makes of the agent's environment: sourced by bash once, and again when the file
// has changed or another campaign asks.
//
// set_env.sh finds itself through BASH_SOURCE, and older ones have commands inside that fail: so it
// is bash that sources it, without `set -e`, and never the user's login shell.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/environment.h"
#include "agent/policy.h"
#include "common/message.h"
#include "common/os/process.h"
#include "common/time.h"

namespace mstune::agent {

class CannEnvironments {
 public:
  // The results of `env -0` go into files below `directory`, which exists. Sourcing a script runs
  // it: one that `policy` does not allow is refused.
  CannEnvironments(std::filesystem::path directory, Environment base,
                   std::optional<Policy> policy = std::nullopt)
      : directory_(std::move(directory)), base_(std::move(base)), policy_(std::move(policy)) {}

  // What is known of this file for this campaign: the environment, or why there is none. Nothing
  // while bash runs: ask again after step(). An empty path is the base itself.
  std::optional<std::variant<Environment, Message>> find(const std::string& path,
                                                         const std::string& campaign,
                                                         TimePoint now);

  // Looks after those that run; true when one has ended.
  bool step(TimePoint now);

  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const;

 private:
  struct Run {
    os::Process process;
    std::filesystem::path result;
    std::string output;
    TimePoint deadline;
  };
  struct Entry {
    std::string campaign;
    std::filesystem::file_time_type changed;
    std::optional<Run> run;
    std::variant<Environment, Message> outcome;
  };

  void start(Entry& entry, const std::filesystem::path& script, TimePoint now);
  bool step(Entry& entry, const std::string& path, TimePoint now);

  std::filesystem::path directory_;
  Environment base_;
  std::optional<Policy> policy_;
  std::map<std::string, Entry> entries_;
  unsigned serial_ = 0;
};

}  // namespace mstune::agent
