// The environment of a program under test. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/message.h"
#include "protocol/messages.h"

namespace mstune::agent {

using Environment = std::map<std::string, std::string>;

// From "NAME=value" strings; those without '=' are left out.
Environment parse_environment(const std::vector<std::string>& strings);
// From the NUL-separated output of `env -0`.
Environment parse_environment(std::string_view nul_separated);
std::vector<std::string> environment_strings(const Environment& environment);

struct TrialEnvironment {
  Environment variables;
  std::vector<Message> notices;  // what a person should know was changed
};

// What the trial's own directory and devices ask for.
struct TrialPlace {
  std::string plog_directory;  // absolute, existing, at most kPlogPathMax bytes
  std::vector<int> devices;    // logic ids; empty: device selection is left alone
};

// The log library writes nothing, silently, where its root is longer (ascend-facts 1.1).
inline constexpr std::size_t kPlogPathMax = 246;

// `base` (the agent's own or what cann_env made of it), then the spec's variables, then what the
// measurement needs: plog files in the trial's directory, nothing of them on stdout, STEP events
// on, and no profile that silently turns every strategy into the weighted one.
TrialEnvironment trial_environment(const Environment& base, const protocol::TrialSpec& spec,
                                   const TrialPlace& place);

}  // namespace mstune::agent
