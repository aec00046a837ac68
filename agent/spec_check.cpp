#include "agent/spec_check.h"

#include <algorithm>
#include <string_view>

#include "common/digest.h"
#include "common/error.h"
#include "common/layout_name.h"
#include "common/version.h"

namespace mstune::agent {
namespace {

bool holds_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

// The system takes no NUL in any of these, and no '=' in a variable's name.
std::optional<Message> mistake_in_texts(const protocol::TrialSpec& spec) {
  bool damaged = holds_nul(spec.cann_env) || holds_nul(spec.working_directory) ||
                 std::any_of(spec.command.begin(), spec.command.end(), holds_nul);
  for (const auto& [variable, value] : spec.environment) {
    damaged = damaged || variable.empty() || holds_nul(variable) || holds_nul(value) ||
              variable.find('=') != std::string::npos;
  }
  if (!damaged) {
    return std::nullopt;
  }
  return message("agent.bad_text",
                 "a command, path or variable of the trial holds a NUL, or a variable's name is "
                 "empty or holds a \"=\"");
}

std::optional<Message> mistake_in_files(const protocol::TrialSpec& spec) {
  for (const protocol::FileReference& file : spec.files) {
    if (!parse_raw_digest(file.identity.value)) {
      return message("agent.bad_identity", "file \"{}\" has an identity of {} bytes, not {}",
                     file.name, file.identity.value.size(), kDigestSize);
    }
    try {
      check_layout_name(file.name);
    } catch (const Error& error) {
      return error.message();
    }
  }
  const bool has_om =
      spec.om.empty() || std::any_of(spec.files.begin(), spec.files.end(),
                                     [&](const auto& file) { return file.name == spec.om; });
  if (!has_om) {
    return message("agent.om_not_listed", "the trial's OM \"{}\" is not one of its files", spec.om);
  }
  return std::nullopt;
}

// What this agent does not name in its capabilities.
std::optional<Message> lacking_capability(const protocol::TrialSpec& spec) {
  if (spec.instances != 1) {
    return message("agent.no_instances",
                   "this agent (mstune-agent {}) cannot run {} instances of a program at a time: "
                   "upgrade it, or leave --instances out",
                   kVersion, spec.instances);
  }
  if (!spec.cache.empty()) {
    return message("agent.no_cache",
                   "this agent (mstune-agent {}) keeps no compile caches: upgrade it, or run "
                   "without",
                   kVersion);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Message> mistake_in(const protocol::TrialSpec& spec) {
  if (spec.command.empty() || spec.command.front().empty()) {
    return message("agent.no_command", "a trial needs a command to run");
  }
  if (spec.shell && spec.command.size() != 1) {
    return message("agent.bad_shell_command",
                   "a command for the shell is one text, and this trial's has {} words",
                   spec.command.size());
  }
  for (const std::string* path : {&spec.cann_env, &spec.working_directory}) {
    if (!path->empty() && path->front() != '/') {
      return message(
          "agent.relative_path",
          "\"{}\" is not an absolute path, and the agent stands in no directory of yours", *path);
    }
  }
  if (auto lacking = lacking_capability(spec)) {
    return lacking;
  }
  auto mistake = mistake_in_texts(spec);
  return mistake ? mistake : mistake_in_files(spec);
}

}  // namespace mstune::agent
