// One trial as the rules of trial_cause.h see it, and those rules that are about its log. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coordinator/error_codes.h"
#include "coordinator/trial_cause.h"

namespace mstune::coordinator {

using Cause = std::optional<Reason>;

// One trial with everything that is known of it.
class Case {
 public:
  Case(const EvaluatedTrial& trial, const CauseContext& context)
      : outcome_(trial.outcome), evaluation_(trial.evaluation), context_(context) {}

  [[nodiscard]] bool has(std::string_view code) const {
    const auto& reasons = evaluation_.reasons;
    return std::any_of(reasons.begin(), reasons.end(),
                       [&](const Reason& reason) { return reason.code == code; });
  }
  // Empty where the agent did not tell.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view fact) const {
    const auto found = outcome_.facts.find(fact);
    const auto* number =
        found == outcome_.facts.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }
  [[nodiscard]] std::string text(std::string_view fact) const {
    const auto found = outcome_.facts.find(fact);
    const auto* text =
        found == outcome_.facts.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text == nullptr ? std::string() : *text;
  }
  // Agents of before did not look for it.
  [[nodiscard]] std::string log_warning() const {
    const std::string told = text("log_warning");
    return told.empty() ? log_warning_in(outcome_.output_end) : told;
  }
  [[nodiscard]] bool is_positive(std::string_view fact) const {
    return number(fact).value_or(0) > 0;
  }
  [[nodiscard]] int exit_code() const { return outcome_.exit_code.value_or(0); }
  // The signal that ended it, or ended what its shell ran; 0: none.
  [[nodiscard]] int signal() const {
    const int code = exit_code();
    const bool of_shell = code > kSignalBase && code <= kSignalBase + kSignalMax;
    return code < 0 ? -code : of_shell ? code - kSignalBase : 0;
  }
  // Records that should be there are not: none, too few, or a cut one.
  [[nodiscard]] bool lacks_records() const {
    return has("no_record") || has("too_few_steps") || has("malformed_record");
  }
  // Not one file of CANN's log came; false where the agent did not look.
  [[nodiscard]] bool has_no_log() const { return number("plog_files") == 0; }
  [[nodiscard]] bool is_valid() const { return evaluation_.valid; }
  [[nodiscard]] const TrialOutcome& outcome() const { return outcome_; }
  [[nodiscard]] const TrialEvaluation& evaluation() const { return evaluation_; }
  [[nodiscard]] const CauseContext& context() const { return context_; }

 private:
  // A shell's way of telling that its command was ended by a signal.
  static constexpr int kSignalBase = 128;
  static constexpr int kSignalMax = 64;

  const TrialOutcome& outcome_;
  const TrialEvaluation& evaluation_;
  const CauseContext& context_;
};

// Programs that start others elsewhere and pass on what they are told to; empty where the command
// has none.
std::string launcher_in(const std::string& command);

// Whether a variable that the agent set was lost or changed on its way to the program.
bool is_missing(const Case& trial, std::string_view variable);
// All that were, for people.
std::string missing_variables(const Case& trial);

// Each gives a cause where it is that one.
Cause full_disk(const Case& trial);
Cause unreadable_log(const Case& trial);
Cause log_elsewhere(const Case& trial);
Cause silent_log(const Case& trial);
Cause not_ge(const Case& trial);
Cause without_pass(const Case& trial);
Cause lost_lines(const Case& trial);

}  // namespace mstune::coordinator
