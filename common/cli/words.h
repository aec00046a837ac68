// The words of a command line, taken apart by the table of its command.
//
// The one place that knows CLI11. What the values mean is not decided here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/cli/option.h"

namespace mstune::cli {

struct GivenWords {
  const Option* option = nullptr;
  std::vector<std::string> values;  // one for each time; "true" for a flag, "" where it is implied
};

struct SplitWords {
  std::vector<GivenWords> given;     // in the order of the table
  std::vector<std::string> unknown;  // in the order typed
  const Option* no_value = nullptr;  // stands last and needs a value
};

// `words` are those behind the command's name.
SplitWords split(const Command& command, std::span<const std::string> words);

}  // namespace mstune::cli
