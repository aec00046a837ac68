// A command line, understood by the tables of its program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "common/cli/option.h"
#include "common/cli/values.h"

namespace mstune::cli {

struct Given {
  const Option* option = nullptr;
  Value value;
};

enum class Wants {
  work,
  help,      // -h
  help_all,  // --help-all
  version,   // --version
  usage,     // nothing was said where something must be: help, and an exit status that says so
};

class Line {
 public:
  std::vector<const Command*> commands;  // the program first, the chosen one last
  std::vector<Given> given;              // those of a file before those that were typed
  Wants wants = Wants::work;
  std::string program;  // what stands behind "--", quoted as for a shell
  bool has_program = false;

  [[nodiscard]] const Command& command() const { return *commands.back(); }
  [[nodiscard]] bool has(std::string_view name) const;
  // As typed; empty where it was not given.
  [[nodiscard]] std::string_view text(std::string_view name) const;

  // The command's struct, filled: initial values, and over them what was given.
  template <typename Options>
  [[nodiscard]] Options options() const {
    Options options;
    fill(&options, typeid(Options));
    return options;
  }

 private:
  // Aborts where a row of the table belongs to another struct.
  void fill(void* options, const std::type_info& type) const;
};

// What a line may refer to.
struct Surroundings {
  std::string home = {};  // stands for ~; empty: there is none
  // The text of a file of options, for a command that has settings_from. Throws an Error.
  std::function<std::string(const std::string& path)> read = nullptr;
};

// `words` are without the program's name. Throws a usage error that says what is wrong, and shows
// the line that would have worked where one is found.
Line parse(const Command& program, std::span<const std::string> words,
           const Surroundings& surroundings);

// The options of the line that a file may set, as such a file.
std::string settings_text(const Line& line);

}  // namespace mstune::cli
