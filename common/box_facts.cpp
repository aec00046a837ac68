#include "common/box_facts.h"

#include <algorithm>
#include <array>

namespace mstune {

bool is_telling_variable(std::string_view name) {
  constexpr std::array<std::string_view, 7> kPrefixes{
      "ASCEND_", "GE_", "MINIDAG_", "ENABLE_", "PROFILING_", "PROFILER_", "DUMP_G"};
  if (name == "GE_MS_TARGET_PASSWORD") {
    return false;
  }
  return name == "LD_LIBRARY_PATH" ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Variables variables_of(const std::vector<std::string>& environment) {
  Variables variables;
  for (const std::string& entry : environment) {
    if (const auto equals = entry.find('='); equals != std::string::npos && equals > 0) {
      variables[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
  }
  return variables;
}

std::string value_of(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

}  // namespace mstune
