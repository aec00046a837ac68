// What a command says of itself, made from its table. Pure; in the language of the process.
#pragma once

#include <span>
#include <string>

#include "common/cli/option.h"

namespace mstune::cli {

// -h: the basic options; everything but the hidden ones with `all`. `commands` are those from the
// program down to the one that is asked for.
std::string help(std::span<const Command* const> commands, bool all);

// mstune.1, in roff (man(7)).
std::string man_page(const Command& program, std::string_view version);

// What bash and zsh load to complete the words of a command line.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);

// Tables of all options in Markdown, for docs/.
std::string options_page(const Command& program);

}  // namespace mstune::cli
