// What the owner of this box lets clients do, as agent.conf says it. Pure.
//
// The rules bind whoever comes over the wire, not the agent's own user: a coordinator's own agent
// has no policy. Each refusal names its rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/message.h"
#include "common/time.h"
#include "protocol/messages.h"

namespace mstune::agent {

// In patterns "*" stands for any characters, "/" too.
struct Policy {
  std::vector<std::string> allow;  // over resolved executables; empty: any
  // Before those that are denied. Where only certain programs may be run these and
  // variables_allowed_to_limited() are all that clients may set.
  std::vector<std::string> allow_variables;
  std::vector<std::string> deny_variables;
  std::optional<bool> pass;          // nothing: as long as any program may be run, as in the next
  std::optional<bool> shell;         // nothing: as long as any program may be run
  std::uint64_t file_bytes_max = 0;  // of one upload; 0: none, as in the next two
  std::uint64_t store_bytes_max = 0;
  std::uint64_t share_bytes_max = 0;           // of the store, for what one client's campaigns need
  std::uint64_t output_bytes_max = 0;          // of one trial
  Duration run_max = Duration::zero();         // zero: none
  Duration wait_max = std::chrono::hours(24);  // for a device

  [[nodiscard]] bool shell_allowed() const { return shell.value_or(allow.empty()); }
  // Whether clients may put the tuning pass, a library that they send, into this box's CANN.
  [[nodiscard]] bool pass_allowed() const { return pass.value_or(allow.empty()); }
};

// Denied unless agent.conf has "deny-variable" lines of its own: variables through which a program
// is made to load or run something else.
std::vector<std::string> variables_denied_by_default();

// What clients may set where agent.conf has "allow" lines: no interpreter or library reads code or
// a file's name from these. Paths, caches and devices are the agent's to set.
std::vector<std::string> variables_allowed_to_limited();

// Reads agent.conf; `file` names it in errors. Throws a usage error for a line that is no rule: a
// rule that is passed over would leave open what its owner believes closed.
Policy parse_policy(std::string_view text, const std::string& file);

// Why this trial may not run here, as far as its words tell; nothing when it may.
std::optional<Message> refusal_of_trial(const Policy& policy, const protocol::TrialSpec& spec);

// The same of the executable that would be run, or the script that would be sourced ("cann_env"):
// an absolute path without links.
std::optional<Message> refusal_of_program(const Policy& policy, std::string_view executable);

// The same of the tuning pass.
std::optional<Message> refusal_of_pass(const Policy& policy);

// The same of a file that is offered; `held_bytes` is what this client's campaigns need already.
std::optional<Message> refusal_of_file(const Policy& policy, std::uint64_t file_bytes,
                                       std::uint64_t held_bytes);

bool matches(std::string_view pattern, std::string_view text);

}  // namespace mstune::agent
