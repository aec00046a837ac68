// Options in a file (mstune.toml): each by its name, "repeat = 5". The one place that knows toml++,
// which says line and column of what is wrong and keeps every kind of quote; CLI11's own reader of
// such files does neither.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/cli/option.h"

namespace mstune::cli {

struct Setting {
  std::string name;                 // "repeat"
  std::vector<std::string> values;  // as they would be typed; "true" of a flag
  unsigned line = 0;
};

// `file` names it in errors. A flag that is false is left out. Throws a usage error with line and
// column.
std::vector<Setting> read_settings(std::string_view text, std::string_view file);

// One line of such a file: name = 'value', or a list of several. A flag has the value "true".
std::string setting_line(const Option& option, const std::vector<std::string>& values);

}  // namespace mstune::cli
