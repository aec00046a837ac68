// What is wrong with a command line, and lines that may have been meant. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/cli/option.h"
#include "common/message.h"

namespace mstune::cli {

using Words = std::vector<std::string>;

struct Mistake {
  Message what;
  std::vector<Words> cures;  // whole lines, the likeliest first; they may have other mistakes
};

// Where a line went wrong.
struct Place {
  std::vector<const Command*> commands;  // that were understood, the program first
  Words words;                           // all that was typed
  std::size_t begin = 0;                 // of the words behind the commands
  [[nodiscard]] const Command& command() const { return *commands.back(); }
};

Mistake unknown_command(const Place& place, std::size_t at);
// An option stands before the command that it belongs to.
Mistake option_before_command(const Place& place, std::size_t at);
// `unknown` are words that no option took, in their order.
Mistake unknown_words(const Place& place, const Words& unknown);
Mistake value_missing(const Place& place, const Option& option);
// `typed` was refused because of `why`; `better` may be empty.
Mistake bad_value(const Place& place, const Option& option, const std::string& typed,
                  const Message& why, const std::string& better);
Mistake given_twice(const Place& place, const Option& option);
Mistake needs_another(const Place& place, const Option& option);
Mistake excludes_another(const Place& place, const Option& option);
Mistake argument_missing(const Option& option);
Mistake program_twice(const Place& place, const Option& option);

}  // namespace mstune::cli
