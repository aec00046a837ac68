#include "agent/policy.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "common/error.h"

namespace mstune::agent {
namespace {

// One line of agent.conf, "name = value".
struct Rule {
  std::string_view name;
  std::string_view value;
  std::string place;  // "FILE:LINE"
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Error bad_value(const Rule& rule, const Message& wanted) {
  return usage_error("policy.bad_value", "{}: \"{} = {}\": {}", rule.place, rule.name, rule.value,
                     wanted);
}

std::uint64_t number_of(const Rule& rule, std::string_view text, const Message& wanted) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number == 0) {
    throw bad_value(rule, wanted);
  }
  return number;
}

std::uint64_t bytes_of(const Rule& rule) {
  const Message wanted =
      message("policy.wants_size", "a size belongs there, as in 512MB, 8GB or 1048576");
  struct Unit {
    std::string_view name;
    unsigned shift;
  };
  constexpr Unit kUnits[] = {{"KB", 10}, {"MB", 20}, {"GB", 30}, {"TB", 40}};
  for (const Unit& unit : kUnits) {
    if (rule.value.ends_with(unit.name)) {
      const auto digits = trimmed(rule.value.substr(0, rule.value.size() - unit.name.size()));
      const std::uint64_t number = number_of(rule, digits, wanted);
      if (number > UINT64_MAX >> unit.shift) {
        throw bad_value(rule, wanted);
      }
      return number << unit.shift;
    }
  }
  return number_of(rule, rule.value, wanted);
}

Duration seconds_of(const Rule& rule) {
  const Message wanted =
      message("policy.wants_seconds", "whole seconds belong there, from 1 to a year");
  constexpr std::uint64_t kYear = 366ULL * 24 * 3600;
  const std::uint64_t seconds = number_of(rule, rule.value, wanted);
  if (seconds > kYear) {
    throw bad_value(rule, wanted);
  }
  return std::chrono::seconds(seconds);
}

std::string pattern_of_path(const Rule& rule) {
  if (!rule.value.starts_with('/') && !rule.value.starts_with('*')) {
    throw bad_value(
        rule, message("policy.wants_path",
                      "an absolute path belongs there, in which * stands for any characters"));
  }
  return std::string(rule.value);
}

bool yes_or_no(const Rule& rule) {
  if (rule.value != "yes" && rule.value != "no") {
    throw bad_value(rule, message("policy.wants_yes_or_no", "yes or no belongs there"));
  }
  return rule.value == "yes";
}

void take(const Rule& rule, Policy& policy) {
  if (rule.value.empty()) {
    throw bad_value(rule, message("policy.wants_value", "a value belongs there"));
  }
  if (rule.name == "allow") {
    policy.allow.push_back(pattern_of_path(rule));
  } else if (rule.name == "allow-variable") {
    policy.allow_variables.emplace_back(rule.value);
  } else if (rule.name == "deny-variable") {
    policy.deny_variables.emplace_back(rule.value);
  } else if (rule.name == "shell") {
    policy.shell = yes_or_no(rule);
  } else if (rule.name == "pass") {
    policy.pass = yes_or_no(rule);
  } else if (rule.name == "largest-file") {
    policy.file_bytes_max = bytes_of(rule);
  } else if (rule.name == "store") {
    policy.store_bytes_max = bytes_of(rule);
  } else if (rule.name == "store-share") {
    policy.share_bytes_max = bytes_of(rule);
  } else if (rule.name == "output") {
    policy.output_bytes_max = bytes_of(rule);
  } else if (rule.name == "run-time") {
    policy.run_max = seconds_of(rule);
  } else if (rule.name == "wait-time") {
    policy.wait_max = seconds_of(rule);
  } else {
    throw usage_error(
        "policy.unknown_rule",
        "{}: there is no rule \"{}\"; there are: allow, allow-variable, "
        "deny-variable, shell, pass, largest-file, store, store-share, output, run-time, "
        "wait-time",
        rule.place, rule.name);
  }
}

// What in agent.conf forbids `name`: the rule itself, or that only some programs may be run.
Message rule_against(std::string_view name, std::optional<bool> rule) {
  return rule ? message("policy.rule_no", "{} = no", name)
              : message("policy.rule_missing", "allow, without {} = yes", name);
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, text); });
}

std::optional<Message> refusal_of_variable(const Policy& policy, const std::string& variable) {
  if (any_matches(policy.allow_variables, variable)) {
    return std::nullopt;
  }
  if (any_matches(policy.deny_variables, variable)) {
    return message("policy.variable_denied",
                   "the owner of this box does not let clients set {} (agent.conf: "
                   "deny-variable; allow-variable = {} would let them)",
                   variable, variable);
  }
  if (!policy.allow.empty() && !any_matches(variables_allowed_to_limited(), variable)) {
    return message("policy.variable_not_allowed",
                   "the owner of this box lets clients run certain programs only, and set only "
                   "the variables that are listed (agent.conf: allow; allow-variable = {} would "
                   "let them set this one)",
                   variable);
  }
  return std::nullopt;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last one met, and what it stands for so far
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::string> variables_denied_by_default() {
  return {"LD_*",        "GCONV_PATH", "GLIBC_TUNABLES", "BASH_ENV", "ENV",
          "BASH_FUNC_*", "SHELLOPTS",  "BASHOPTS",       "PS4"};
}

std::vector<std::string> variables_allowed_to_limited() {
  return {"GE_AUTO_MULTISTREAM_PARALLEL_MODE", "OMP_NUM_THREADS",
          "ASCEND_GLOBAL_LOG_LEVEL",           "ASCEND_MODULE_LOG_LEVEL",
          "ASCEND_GLOBAL_EVENT_ENABLE",        "ASCEND_LOG_SYNC_SAVE",
          "ASCEND_HOST_LOG_FILE_NUM"};
}

Policy parse_policy(std::string_view text, const std::string& file) {
  Policy policy;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
      throw usage_error("policy.no_rule", "{}:{}: \"{}\" is no rule: write NAME = VALUE", file,
                        number, line);
    }
    take({trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)),
          fmt::format("{}:{}", file, number)},
         policy);
  }
  if (policy.deny_variables.empty()) {
    policy.deny_variables = variables_denied_by_default();
  }
  return policy;
}

std::optional<Message> refusal_of_trial(const Policy& policy, const protocol::TrialSpec& spec) {
  if (spec.shell && !policy.shell_allowed()) {
    return message("policy.no_shell",
                   "the owner of this box allows no shell (agent.conf: {}): write a run_command "
                   "without \"shell\"",
                   rule_against("shell", policy.shell));
  }
  if (!policy.allow.empty() && !spec.working_directory.empty()) {
    return message("policy.no_working_directory",
                   "the owner of this box lets clients run certain programs only (agent.conf: "
                   "allow), and these begin in the trial's directory: leave \"cwd\" out of the "
                   "target file");
  }
  for (const auto& [variable, value] : spec.environment) {
    if (auto why = refusal_of_variable(policy, variable)) {
      return why;
    }
  }
  for (const std::string& variable : spec.unset) {
    if (auto why = policy.allow.empty() ? std::nullopt : refusal_of_variable(policy, variable)) {
      return why;
    }
  }
  return std::nullopt;
}

std::optional<Message> refusal_of_program(const Policy& policy, std::string_view executable) {
  if (policy.allow.empty() || any_matches(policy.allow, executable)) {
    return std::nullopt;
  }
  return message("policy.program_not_allowed",
                 "the owner of this box does not let clients run {} (agent.conf: allow = {})",
                 executable, fmt::format("{}", fmt::join(policy.allow, ", ")));
}

std::optional<Message> refusal_of_pass(const Policy& policy) {
  if (policy.pass_allowed()) {
    return std::nullopt;
  }
  return message("policy.no_pass",
                 "the owner of this box does not let clients put the tuning pass into its CANN "
                 "(agent.conf: {}): the owner runs \"mstune pass install\" there",
                 rule_against("pass", policy.pass));
}

std::optional<Message> refusal_of_file(const Policy& policy, std::uint64_t file_bytes,
                                       std::uint64_t held_bytes) {
  if (policy.file_bytes_max != 0 && file_bytes > policy.file_bytes_max) {
    return message("policy.file_too_large",
                   "the owner of this box takes no file of {} (agent.conf: largest-file = {})",
                   size_text(file_bytes), size_text(policy.file_bytes_max));
  }
  if (policy.share_bytes_max != 0 &&
      (file_bytes > policy.share_bytes_max || held_bytes > policy.share_bytes_max - file_bytes)) {
    return message("policy.share_used_up",
                   "the owner of this box lets each client's campaigns hold {} of files "
                   "(agent.conf: store-share); this one's hold {}, and {} more are too much: let "
                   "another campaign end first",
                   size_text(policy.share_bytes_max), size_text(held_bytes), size_text(file_bytes));
  }
  return std::nullopt;
}

}  // namespace mstune::agent
