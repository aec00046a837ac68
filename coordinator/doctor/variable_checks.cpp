#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "coordinator/doctor/checks.h"

namespace mstune::coordinator {
namespace {

bool is_on(const BoxFacts& facts, const char* variable) {
  const std::string value = value_of(facts.variables, variable);
  return value == "1" || value == "true" || value == "True" || value == "on";
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

// Where a variable is set decides what takes it away: an agent's programs get the target's "env"
// over what the agent, or the script in "cann_env", gives them.
Message remedy_unset(std::string_view variables, const Roles& roles) {
  return roles.is_target
             ? message("variables.unset_remedy_there",
                       "take {} out of \"env\" in the target file; if it does not stand there, out "
                       "of the agent's environment or the script of \"cann_env\"",
                       variables)
             : message("variables.unset_remedy", "run: unset {}", variables);
}

void check_profile_of_weights(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  const std::string path = value_of(facts.variables, "MINIDAG_PROFILING_PATH");
  if (path.empty() || !roles.compiles) {
    return;
  }
  findings.add(roles.offline ? Health::failure : Health::warning,
               message("variables.minidag",
                       "MINIDAG_PROFILING_PATH={}: with a profile that knows one operator, GE "
                       "silently turns every strategy into the weighted one, and records do not "
                       "show it",
                       path),
               remedy_unset("MINIDAG_PROFILING_PATH", roles));
}

void check_dynamic_shapes(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  constexpr const char* kVariable = "ENABLE_DYNAMIC_SHAPE_MULTI_STREAM";
  if (!roles.compiles) {
    return;
  }
  if (value_of(facts.variables, kVariable) == "1") {
    findings.good(message("variables.dynamic_shapes", "{}=1", kVariable));
  } else {
    findings.add(
        Health::note,
        message("variables.dynamic_shapes",
                "{} is not 1: of a graph with dynamic shapes all candidates would be "
                "compiled alike",
                kVariable),
        roles.is_target
            ? message("variables.dynamic_shapes_remedy_there",
                      "for dynamic shapes put \"{}\": \"1\" into \"env\" in the target file",
                      kVariable)
            : message("variables.dynamic_shapes_remedy", "for dynamic shapes run: export {}=1",
                      kVariable));
  }
}

// The option comes through the session or atc; scripts hand it on in variables of their own.
void check_single_stream(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  if (!roles.compiles) {
    return;
  }
  for (const auto& [name, value] : facts.variables) {
    const std::string text = lower_case(fmt::format("{}={}", name, value));
    const bool is_named = text.find("enablesinglestream") != std::string::npos ||
                          text.find("enable_single_stream") != std::string::npos;
    if (is_named && !text.ends_with("=0") && !text.ends_with("false")) {
      findings.add(Health::failure,
                   message("variables.single_stream",
                           "{} turns on single-stream mode, which excludes every candidate, "
                           "default too (E10056)",
                           name),
                   remedy_unset(name, roles));
    }
  }
}

void check_profiling(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  constexpr std::array<const char*, 3> kSwitches{"PROFILING_MODE", "GE_PROFILING_TO_STD_OUT",
                                                 "ENABLE_PROFILING"};
  if (!roles.runs) {
    return;
  }
  for (const char* variable : kSwitches) {
    if (is_on(facts, variable) || value_of(facts.variables, variable) == "dynamic") {
      findings.add(Health::warning,
                   message("variables.profiling",
                           "{} switches profiling on: it costs time in every step and hides "
                           "differences",
                           variable),
                   remedy_unset(variable, roles));
    }
  }
}

void check_printing(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  constexpr std::array<const char*, 2> kPrinting{"ASCEND_LOG_PRINT_TO_STDOUT",
                                                 "ASCEND_SLOG_PRINT_TO_STDOUT"};
  for (const char* variable : kPrinting) {
    if (roles.runs && value_of(facts.variables, variable) == "1") {
      findings.add(Health::note,
                   message("variables.printing",
                           "{}=1 sends the log to stdout and writes no file; trials run without it",
                           variable),
                   message("variables.printing_remedy",
                           "a program that sets it by itself must not: then its lines are cut into "
                           "its own output"));
    }
  }
}

void check_log_levels(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  const std::string global = value_of(facts.variables, "ASCEND_GLOBAL_LOG_LEVEL");
  const std::string modules = value_of(facts.variables, "ASCEND_MODULE_LOG_LEVEL");
  if (!roles.runs) {
    return;
  }
  if (global == "0" || global == "1" || !modules.empty()) {
    const bool is_global = global == "0" || global == "1";
    findings.add(Health::warning,
                 message("variables.log_level",
                         "{} makes the log talkative: that costs time in every step, and logs grow "
                         "by gigabytes",
                         is_global ? "ASCEND_GLOBAL_LOG_LEVEL=" + global
                                   : "ASCEND_MODULE_LOG_LEVEL=" + modules),
                 remedy_unset("ASCEND_GLOBAL_LOG_LEVEL ASCEND_MODULE_LOG_LEVEL", roles));
  }
  if (value_of(facts.variables, "ASCEND_GLOBAL_EVENT_ENABLE") == "0") {
    findings.add(Health::note,
                 message("variables.events",
                         "ASCEND_GLOBAL_EVENT_ENABLE=0 silences STEP records in older CANN; trials "
                         "run with 1"));
  }
}

}  // namespace

void check_variables(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  check_profile_of_weights(facts, roles, findings);
  check_dynamic_shapes(facts, roles, findings);
  check_single_stream(facts, roles, findings);
  check_profiling(facts, roles, findings);
  check_printing(facts, roles, findings);
  check_log_levels(facts, roles, findings);
  if (const std::string mode = value_of(facts.variables, "GE_AUTO_MULTISTREAM_PARALLEL_MODE");
      !mode.empty()) {
    findings.add(Health::note,
                 message("variables.mode",
                         "GE_AUTO_MULTISTREAM_PARALLEL_MODE={} is set in this environment; each "
                         "trial and build gets its own",
                         mode),
                 message("variables.mode_remedy",
                         "unset it, or programs that are started by hand are tuned and recorded, "
                         "too"));
  }
}

}  // namespace mstune::coordinator
