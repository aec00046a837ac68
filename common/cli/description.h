// A command line as data: what its help, its man page and its completion are made of.
#pragma once

#include <string>
#include <vector>

namespace mstune::cli {

struct OptionDescription {
  std::vector<std::string> names;  // "--mode"; a positional has its one name, "inputs"
  bool positional = false;
  bool takes_value = false;  // false: a flag
  bool required = false;
  bool repeatable = false;
  std::vector<std::string> choices;  // the only values; empty: any
  std::string standard;              // the value without the option; empty: none is said
  std::string text;
};

struct CommandDescription {
  std::string name;
  std::string text;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;
};

// mstune.1, in roff (man(7)).
std::string man_page(const CommandDescription& program, const std::string& version);

// What bash and zsh load to complete the words of a command line.
std::string bash_completion(const CommandDescription& program);
std::string zsh_completion(const CommandDescription& program);

}  // namespace mstune::cli
