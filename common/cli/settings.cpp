#include "common/cli/settings.h"

#include <toml++/toml.h>

#include <fmt/format.h>

#include "common/error.h"

namespace mstune::cli {
namespace {

std::string text_of(const toml::node& node, std::string_view file) {
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* number = node.as_integer()) {
    return std::to_string(number->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return fmt::format("{}", number->get());
  }
  if (const auto* truth = node.as_boolean()) {
    return truth->get() ? "true" : "";
  }
  const auto& begin = node.source().begin;
  throw usage_error("options.file_value",
                    "{}:{}:{}: a value is a text, a number, true, false or a list of these", file,
                    begin.line, begin.column);
}

std::vector<std::string> values_of(const toml::node& node, std::string_view file) {
  std::vector<std::string> values;
  if (const auto* list = node.as_array()) {
    for (const toml::node& each : *list) {
      values.push_back(text_of(each, file));
    }
  } else if (auto text = text_of(node, file); !text.empty() || !node.is_boolean()) {
    values.push_back(std::move(text));
  }
  return values;
}

// A basic string of TOML.
std::string basic_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::vector<Setting> read_settings(std::string_view text, std::string_view file) {
  std::vector<Setting> settings;
  try {
    const toml::table table = toml::parse(text, file);
    for (const auto& [name, node] : table) {
      settings.push_back({std::string(name.str()), values_of(node, file),
                          static_cast<unsigned>(node.source().begin.line)});
    }
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw usage_error(
        "options.file_syntax", "{}:{}:{}: {}; a line is name = value, texts in quotes, as in {}",
        file, begin.line, begin.column, error.description(), "strategies = \"LoadBalance,cv\"");
  }
  return settings;
}

std::string setting_line(const Option& option, const std::vector<std::string>& values) {
  std::string line = fmt::format("{} = ", option.name.substr(option.name.find_first_not_of('-')));
  if (option.kind == Kind::flag) {
    return line + "true\n";
  }
  if (!option.repeatable) {
    return line + basic_string(values.back()) + "\n";
  }
  std::string list;
  for (const std::string& value : values) {
    list += (list.empty() ? "" : ", ") + basic_string(value);
  }
  return line + "[" + list + "]\n";
}

}  // namespace mstune::cli
