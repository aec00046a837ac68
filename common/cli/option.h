// The options of a program as data. A table of them is all that there is to know about a command:
// the parser, help, man page, completion, the page of options, configuration files and the texts of
// errors are made from it.
//
// To add an option: a field in the struct of options that the command fills, and one row in its
// table. Nothing else.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/cli/field.h"
#include "common/cli/text.h"
#include "common/message.h"

namespace mstune::cli {

enum class Kind {
  flag,     // takes no value
  text,     // taken as it is
  command,  // words of a program to run, quoted as for a shell
  path,     // a file or a directory; a leading ~ means the home
  word,     // one of `choices`
  list,     // items between commas
  integer,  // a whole number; or one of `choices`, where there are some
  seconds,  // a time: 90, 90s, 30m, 2h
  size,     // bytes: 512, 64KB, 64MB, 2GB; in steps of 1024
};

// Inclusive.
struct Range {
  double min = 0;
  double max = std::numeric_limits<double>::max();
};

// Where help shows it.
enum class Level {
  basic,   // in -h
  more,    // in --help-all, the man page and the page of options
  hidden,  // nowhere: for our own programs
};

// Who may set it. Each includes the ones above it.
enum class SetBy {
  line,  // the command line alone
  file,  // a configuration file (mstune.toml) as well
};

struct BadValue {
  Message why;
  std::string better;  // what would have been right; empty where nothing is near
};

struct Option {
  std::string_view name;  // "--mode"; without dashes: an argument known by its place
  char letter = 0;        // 'h': "-h" as well
  Kind kind = Kind::flag;
  Field field = {};               // where its value goes
  std::string_view value = {};    // what help calls the value: "DIR"; empty: the kind's own word
  std::string_view initial = {};  // the value without the option, as a person writes it
  Range range = {};               // of integers, times and sizes
  std::vector<std::string_view> choices = {};  // in the order of the enumerators they stand for
  // Looks at what the kind alone cannot judge.
  std::optional<BadValue> (*check)(std::string_view text) = nullptr;
  std::string_view implied = {};   // the value is optional, and this one when it is not written
  std::string_view needs = {};     // "--watch", "--mode offline": goes with that only
  std::string_view excludes = {};  // "--quiet": does not go with that
  Text group = {};                 // what a person decides with it: a heading of help
  Level level = Level::more;
  SetBy set_by = SetBy::file;
  bool required = false;
  bool repeatable = false;
  Text text = {};     // what it does, in half a line
  Text details = {};  // what else is to be said, after it
};

// A program is a command, and so is a part of one ("install" of "pass").
struct Command {
  std::string_view name;
  Text text;
  std::vector<Option> options = {};
  std::vector<Command> commands = {};           // one of them must follow where there are any
  std::vector<std::string_view> examples = {};  // lines as they are typed
  Field program =
      {};  // where the words behind "--" go, as one command; empty: none may stand there
  std::string_view settings_from = {};  // its option that names a file of options; empty: none
};

inline bool is_positional(const Option& option) {
  return !option.name.starts_with('-');
}

// "ONLINE|OFFLINE", "DIR", "N": what stands behind the name in help. Empty for a flag.
std::string value_word(const Option& option);

// What every command has: --help, --help-all, --lang, --version.
const std::vector<Option>& shared_options();

// Its own and the shared ones. As long-lived as the command.
std::vector<const Option*> all_options(const Command& command);

// "install", "remove", "status" of "pass".
std::vector<std::string_view> command_names(const Command& parent);

// Null where there is none. Looks among the shared ones as well.
const Option* find_option(const Command& command, std::string_view name);
const Command* find_command(const Command& parent, std::string_view name);

}  // namespace mstune::cli
