#include "agent/environment.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace mstune::agent {
namespace {

void add(Environment& environment, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals != std::string_view::npos && equals > 0) {
    environment[std::string(assignment.substr(0, equals))] = assignment.substr(equals + 1);
  }
}

bool is_on(const Environment& environment, const char* variable) {
  const auto found = environment.find(variable);
  return found != environment.end() && found->second == "1";
}

}  // namespace

Environment parse_environment(const std::vector<std::string>& strings) {
  Environment environment;
  for (const std::string& assignment : strings) {
    add(environment, assignment);
  }
  return environment;
}

Environment parse_environment(std::string_view nul_separated) {
  Environment environment;
  while (!nul_separated.empty()) {
    const auto end = std::min(nul_separated.find('\0'), nul_separated.size());
    add(environment, nul_separated.substr(0, end));
    nul_separated.remove_prefix(std::min(end + 1, nul_separated.size()));
  }
  return environment;
}

std::vector<std::string> environment_strings(const Environment& environment) {
  std::vector<std::string> strings;
  strings.reserve(environment.size());
  for (const auto& [variable, value] : environment) {
    strings.push_back(fmt::format("{}={}", variable, value));
  }
  return strings;
}

TrialEnvironment trial_environment(const Environment& base, const protocol::TrialSpec& spec,
                                   const TrialPlace& place) {
  TrialEnvironment result;
  Environment& variables = result.variables;
  variables = base;
  for (const auto& [variable, value] : spec.environment) {
    variables[variable] = value;
  }
  for (const std::string& variable : spec.unset) {
    variables.erase(variable);
  }
  constexpr std::array<const char*, 2> kPrinting{"ASCEND_LOG_PRINT_TO_STDOUT",
                                                 "ASCEND_SLOG_PRINT_TO_STDOUT"};
  for (const char* variable : kPrinting) {
    if (is_on(variables, variable)) {
      result.notices.push_back(message("trial.printing_off",
                                       "{}=1 is off for the trials: with it no plog file is "
                                       "written",
                                       variable));
    }
    variables[variable] = "0";
  }
  if (variables.erase("MINIDAG_PROFILING_PATH") > 0) {
    result.notices.push_back(message("trial.minidag_removed",
                                     "MINIDAG_PROFILING_PATH is taken out for the trials: with it "
                                     "GE turns every strategy into the weighted one"));
  }
  variables["ASCEND_GLOBAL_EVENT_ENABLE"] = "1";
  variables["ASCEND_PROCESS_LOG_PATH"] = place.plog_directory;
  if (!place.devices.empty()) {
    std::vector<int> ascending = place.devices;
    std::sort(ascending.begin(), ascending.end());
    variables["ASCEND_RT_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(ascending, ","));
    variables["ASCEND_DEVICE_ID"] = "0";
  }
  return result;
}

}  // namespace mstune::agent
