#include "common/cli/parse_error.h"

#include <optional>
#include <regex>
#include <string>

namespace mstune::cli {
namespace {

class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {}

  bool is(const char* pattern) { return std::regex_match(text_, found_, std::regex(pattern)); }
  [[nodiscard]] std::string part(std::size_t number) const { return found_[number].str(); }

 private:
  std::string text_;
  std::smatch found_;
};

std::optional<Message> about_value(Text& text) {
  if (text.is(R"(([^:]+): Value (.*) not in range (.+) to (.+))")) {
    return message("options.not_in_range", "{}: {} is not a number from {} to {}", text.part(1),
                   text.part(2), text.part(3), text.part(4));
  }
  if (text.is(R"(([^:]+): (.*) not in \{(.*)\})")) {
    return message("options.not_one_of", "{}: {} is none of {}", text.part(1), text.part(2),
                   text.part(3));
  }
  if (text.is(R"(Could not convert: ([^ ]+) = (.*))")) {
    return message("options.no_such_value", "{}: {} is no value for it", text.part(1),
                   text.part(2));
  }
  if (text.is(R"(([^:]+): [0-9]+ required .* missing)")) {
    return message("options.value_missing", "{} wants a value behind it", text.part(1));
  }
  return std::nullopt;
}

}  // namespace

Message parse_error(std::string_view what) {
  Text text(what);
  if (auto known = about_value(text)) {
    return *known;
  }
  if (text.is(R"(The following arguments? (?:was|were) not expected: (.*))")) {
    return message("options.not_expected", "not expected: {}", text.part(1));
  }
  if (text.is("A subcommand is required")) {
    return message("options.no_command", "a command is wanted");
  }
  if (text.is(R"((.+) is required)")) {
    return message("options.required", "{} is wanted", text.part(1));
  }
  if (text.is(R"((.+) excludes (.+))")) {
    return message("options.excludes", "{} and {} do not go together", text.part(1), text.part(2));
  }
  if (text.is(R"((.+) requires (.+))")) {
    return message("options.requires", "{} goes with {} only", text.part(1), text.part(2));
  }
  return {"options.other", std::string(what), {}};
}

}  // namespace mstune::cli
