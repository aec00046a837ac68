#include "coordinator/console.h"

#include <algorithm>
#include <cctype>

#include "common/os/terminal.h"

namespace mstune::coordinator {
namespace {

constexpr int kStdout = 1;

// "" where it is not set.
std::string_view value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return "";
}

bool is_utf8(std::string_view locale) {
  std::string text;
  for (const char c : locale) {
    if (c != '-') {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return text.find("utf8") != std::string::npos;
}

}  // namespace

ProgressStyle progress_style(bool quiet, bool json_lines, bool is_terminal,
                             const std::vector<std::string>& environment) {
  if (json_lines) {
    return ProgressStyle::json_lines;
  }
  if (quiet) {
    return ProgressStyle::quiet;
  }
  const bool dumb =
      value_of(environment, "TERM") == "dumb" || value_of(environment, "TERM").empty();
  return is_terminal && !dumb ? ProgressStyle::live : ProgressStyle::plain;
}

Terminal terminal_of(const std::vector<std::string>& environment) {
  Terminal terminal;
  terminal.colour = value_of(environment, "NO_COLOR").empty();
  for (const std::string_view name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const auto locale = value_of(environment, name); !locale.empty()) {
      terminal.unicode = is_utf8(locale);
      break;
    }
  }
  return terminal;
}

std::function<Terminal()> stdout_terminal(const std::vector<std::string>& environment) {
  return [known = terminal_of(environment)] {
    Terminal terminal = known;
    if (const auto size = os::terminal_size(kStdout)) {
      terminal.columns = size->columns;
      terminal.rows = size->rows;
    }
    return terminal;
  };
}

bool stdout_is_terminal() {
  return os::is_terminal(kStdout);
}

}  // namespace mstune::coordinator
