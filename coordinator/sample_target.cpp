#include "coordinator/sample_target.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "common/shell_syntax.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;

// Of ssh days; whatever else is there is ours, a comment, or a mistake that is told.
constexpr std::array<std::string_view, 4> kDropped{"port", "user", "identity_file",
                                                   "remote_workdir"};

}  // namespace

std::optional<RewrittenTarget> rewrite_sample_target(std::string_view text) {
  const Json old = Json::parse(text, nullptr, false);
  if (!old.is_object() || (!old.contains("user") && !old.contains("remote_workdir"))) {
    return std::nullopt;
  }
  RewrittenTarget result;
  Json target;
  for (const auto& [key, value] : old.items()) {
    if (std::find(kDropped.begin(), kDropped.end(), key) != kDropped.end()) {
      result.dropped.push_back(key);
      continue;
    }
    target[key] = value;
    if (key == "host") {
      target["server_key"] = "";
    }
    const bool needs_shell = key == "run_command" && value.is_string() &&
                             shell_syntax_in(value.get<std::string>()).has_value();
    if (needs_shell) {
      target["shell"] = true;
    }
  }
  result.text = target.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  return result;
}

std::string rewritten_file(const std::string& file) {
  constexpr std::string_view kEnding = ".json";
  const std::string stem =
      file.ends_with(kEnding) ? file.substr(0, file.size() - kEnding.size()) : file;
  return stem + ".mstune.json";
}

}  // namespace mstune::coordinator
