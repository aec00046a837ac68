#include "coordinator/target.h"

#include <functional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/layout_name.h"
#include "common/shell_syntax.h"
#include "coordinator/digest_pattern.h"

namespace mstune::coordinator {
namespace {

using nlohmann::json;

constexpr std::uint16_t kSshPort = 22;

// nlohmann keeps the last of two equal keys silently; a person who wrote two wants to know.
json parse_without_duplicates(std::string_view text, const std::string& file) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int /*depth*/, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key &&
               !keys.back().insert(parsed.get<std::string>()).second) {
      throw usage_error("target.duplicate_field", "{}: the field \"{}\" is there twice", file,
                        parsed.get<std::string>());
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::exception& error) {
    throw usage_error("target.not_json", "{} is not JSON: {}", file, std::string(error.what()));
  }
}

// The agent gives a program its devices; what was asked for would be overwritten, or would hide the
// devices that it gave.
void refuse_mask(const std::map<std::string, std::string>& variables, const std::string& file) {
  constexpr const char* kMask = "ASCEND_RT_VISIBLE_DEVICES";
  if (variables.contains(kMask)) {
    throw usage_error("target.env_mask",
                      "{}: \"env\" sets {}, which the agent sets for each trial: leave it out, "
                      "and say which devices there are by mstune-agent --devices, or how many a "
                      "trial gets by \"devices_per_trial\"",
                      file, kMask);
  }
}

class Reader {
 public:
  Reader(const json& document, const std::string& file) : document_(document), file_(file) {}

  void text(const char* field, std::string& value) {
    if (const json* found = find(field)) {
      value = string_of(*found, field);
    }
  }

  void required_text(const char* field, std::string& value) {
    text(field, value);
    if (value.empty()) {
      throw usage_error("target.missing_field", "{}: the field \"{}\" is missing or empty", file_,
                        field);
    }
  }

  void port(std::uint16_t& value) {
    const json* found = find("port");
    if (found == nullptr) {
      return;
    }
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1 ||
        found->get<std::int64_t>() > 65535) {
      throw usage_error("target.bad_port", "{}: \"port\" must be a whole number from 1 to 65535",
                        file_);
    }
    value = found->get<std::uint16_t>();
    if (value == kSshPort) {
      throw usage_error("target.ssh_port",
                        "{}: port 22 is ssh's; an agent is reached at its own port: put the one "
                        "that mstune-agent was started with, or leave \"port\" out for {}",
                        file_, protocol::kDefaultPort);
    }
  }

  void count(const char* field, std::size_t& value) {
    constexpr std::int64_t kCountMax = 1024;
    const json* found = find(field);
    if (found == nullptr) {
      return;
    }
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1 ||
        found->get<std::int64_t>() > kCountMax) {
      throw wrong_type(field, message("target.whole_number", "a whole number from 1"));
    }
    value = found->get<std::size_t>();
  }

  void flag(const char* field, bool& value) {
    if (const json* found = find(field)) {
      if (!found->is_boolean()) {
        throw wrong_type(field, message("target.true_or_false", "true or false"));
      }
      value = found->get<bool>();
    }
  }

  void texts(const char* field, std::map<std::string, std::string>& values) {
    const json* found = find(field);
    if (found == nullptr) {
      return;
    }
    if (!found->is_object()) {
      throw wrong_type(field, message("target.object_of_strings",
                                      "an object of strings, as in {{\"NAME\": \"value\"}}"));
    }
    for (const auto& [key, value] : found->items()) {
      values[key] = string_of(value, field);
    }
  }

  void files(const char* field, std::vector<TargetFile>& files) {
    const json* found = find(field);
    if (found == nullptr) {
      return;
    }
    const Message wanted =
        message("target.list_of_paths",
                "a list of paths, or of objects as in {{\"path\": \"data/in.bin\", \"name\": "
                "\"in.bin\"}}");
    if (!found->is_array()) {
      throw wrong_type(field, wanted);
    }
    for (const json& entry : *found) {
      const json path = entry.is_object() ? entry.value("path", json()) : entry;
      const json name = entry.is_object() ? entry.value("name", json("")) : json("");
      if (!path.is_string() || path.get<std::string>().empty() || !name.is_string()) {
        throw wrong_type(field, wanted);
      }
      add_file({path.get<std::string>(), name.get<std::string>()}, files);
    }
  }

  bool holds(const char* field) { return find(field) != nullptr; }

  // Whatever was not asked for, and is not a comment, is a field that nobody would heed.
  void refuse_others() const {
    for (const auto& [key, value] : document_.items()) {
      if (!known_.contains(key) && !key.starts_with('_')) {
        throw usage_error("target.unknown_field",
                          "{}: unknown field \"{}\"; known are: {} (a field that begins with \"_\" "
                          "is a comment)",
                          file_, key, fmt::format("{}", fmt::join(known_, ", ")));
      }
    }
  }

 private:
  const json* find(const char* field) {
    known_.insert(field);
    const auto found = document_.find(field);
    return found == document_.end() ? nullptr : &*found;
  }

  void add_file(TargetFile file, std::vector<TargetFile>& files) const {
    if (!file.path.starts_with('/')) {
      file.path.insert(0, file_.substr(0, file_.rfind('/') + 1));  // nothing where there is no '/'
    }
    if (file.name.empty()) {
      file.name = file.path.substr(file.path.rfind('/') + 1);
    }
    try {
      check_layout_name(file.name);
    } catch (const Error& error) {
      throw usage_error("target.bad_file_name", "{}: \"files\": {}", file_, error.message());
    }
    for (const TargetFile& other : files) {
      if (other.name == file.name) {
        throw usage_error("target.two_files",
                          "{}: \"files\": both {} and {} would be put at {}: give one of them "
                          "another \"name\"",
                          file_, other.path, file.path, file.name);
      }
    }
    files.push_back(std::move(file));
  }

  std::string string_of(const json& value, const char* field) const {
    if (!value.is_string()) {
      throw wrong_type(field, message("target.string", "a string"));
    }
    return value.get<std::string>();
  }

  [[nodiscard]] Error wrong_type(const char* field, const Message& wanted) const {
    return usage_error("target.wrong_type", "{}: \"{}\" must be {}", file_, field, wanted);
  }

  const json& document_;
  const std::string& file_;
  std::set<std::string> known_;
};

void meet_fields_of_ssh_days(Reader& reader, const std::string& file, Target& target) {
  if (reader.holds("user")) {
    target.notes.push_back(
        message("target.user_ignored",
                "{}: \"user\" is ignored: the agent runs as the user who started it", file));
  }
  if (reader.holds("remote_workdir")) {
    target.notes.push_back(
        message("target.remote_workdir_ignored",
                "{}: \"remote_workdir\" is ignored: the agent has a working directory of its own "
                "(mstune-agent --work-dir)",
                file));
  }
}

// With one colon it is an address and a port; IPv6 addresses have more.
void check_host(const std::string& host, const std::string& file) {
  const auto colon = host.find(':');
  if (colon == std::string::npos || colon != host.rfind(':')) {
    return;
  }
  const std::string port = host.substr(colon + 1);
  if (!port.empty() && port.find_first_not_of("0123456789") == std::string::npos) {
    throw usage_error("target.port_in_host",
                      "{}: \"host\" holds a port: write \"host\": \"{}\", \"port\": {}", file,
                      host.substr(0, colon), port);
  }
}

// The sample ran this field in a shell; run directly, such a command would mean something else.
void check_shell(const Target& target, const std::string& file) {
  if (target.shell && target.run_command.empty()) {
    throw usage_error("target.shell_alone",
                      "{}: \"shell\" is about \"run_command\", and there is none; --run-command "
                      "has --shell",
                      file);
  }
  const auto syntax = target.shell ? std::nullopt : shell_syntax_in(target.run_command);
  if (syntax) {
    throw usage_error("target.needs_shell",
                      "{}: \"run_command\" holds \"{}\", which only a shell understands, and "
                      "programs are run directly: add \"shell\": true, or put it into quotes where "
                      "it stands for itself",
                      file, *syntax);
  }
}

void read_keys(Reader& reader, const std::string& file, Target& target) {
  std::string server_key;
  reader.text("server_key", server_key);
  reader.text("identity_file", target.identity_file);
  reader.flag("insecure", target.insecure);
  if (target.insecure) {
    target.notes.push_back(message("target.insecure",
                                   "{}: \"insecure\": nothing is encrypted, and whoever answers at "
                                   "that address is believed",
                                   file));
  }
  if (!server_key.empty()) {
    target.server_key = parse_key(server_key, file + ": \"server_key\"");
  }
}

// After unknown fields: a misspelt "server_key" is better named than missed.
void check_keys(const std::string& file, const Target& target) {
  if (target.server_key.has_value() == target.insecure) {
    throw usage_error(
        "target.no_server_key",
        "{}: {}: put the agent's public key, which it prints when it starts, into \"server_key\"; "
        "or, for an agent that was started with --insecure, \"insecure\": true",
        file,
        target.insecure ? message("target.key_and_insecure",
                                  "\"server_key\" and \"insecure\" exclude each other")
                        : message("target.key_missing", "the field \"server_key\" is missing"));
  }
}

// Whoever corrects a file wants to know all that is wrong with it, not one thing at a time.
class Mistakes {
 public:
  void gather(const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& mistake) {
      found_.push_back(mistake.message());
    }
  }

  [[nodiscard]] bool none() const { return found_.empty(); }

  void refuse() const {
    if (found_.empty()) {
      return;
    }
    Message all = found_.front();
    for (std::size_t at = 1; at < found_.size(); ++at) {
      all = message("target.several", "{}; and {}", all, found_[at]);
    }
    throw Error(ErrorKind::usage, all);
  }

 private:
  std::vector<Message> found_;
};

void read_program(Reader& reader, const std::string& file, Target& target, Mistakes& mistakes) {
  mistakes.gather([&] { reader.text("run_command", target.run_command); });
  mistakes.gather([&] { reader.flag("shell", target.shell); });
  mistakes.gather([&] { check_shell(target, file); });
  mistakes.gather([&] { reader.text("cann_env", target.cann_env); });
  mistakes.gather([&] {
    reader.texts("env", target.env);
    refuse_mask(target.env, file);
  });
  mistakes.gather([&] { reader.text("cwd", target.cwd); });
  mistakes.gather([&] {
    reader.text("digest_pattern", target.digest_pattern);
    check_digest_pattern(target.digest_pattern, file + ": \"digest_pattern\"");
  });
  mistakes.gather([&] { reader.count("devices_per_trial", target.devices_per_trial); });
  mistakes.gather([&] { reader.flag("keep", target.keep); });
  mistakes.gather([&] { reader.files("files", target.files); });
}

Target read_target(const json& document, const std::string& file) {
  if (!document.is_object()) {
    throw usage_error("target.not_object", "{} must hold one JSON object, as in {{\"host\": …}}",
                      file);
  }
  Target target;
  Reader reader(document, file);
  Mistakes mistakes;
  mistakes.gather([&] {
    reader.required_text("host", target.host);
    check_host(target.host, file);
  });
  mistakes.gather([&] { reader.port(target.port); });
  read_program(reader, file, target, mistakes);
  meet_fields_of_ssh_days(reader, file, target);
  for (const char* field : {"server_key", "identity_file", "insecure"}) {
    reader.holds(field);  // known, whichever of them is wrong
  }
  Mistakes keys;
  keys.gather([&] { read_keys(reader, file, target); });
  mistakes.gather([&] { reader.refuse_others(); });
  mistakes.gather([&] { keys.refuse(); });
  if (keys.none()) {
    mistakes.gather([&] { check_keys(file, target); });
  }
  mistakes.refuse();
  return target;
}

// What the target does not say itself; of two objects each field by itself.
void add_defaults(json& target, const json& defaults) {
  for (const auto& [key, value] : defaults.items()) {
    if (!target.contains(key)) {
      target[key] = value;
    } else if (target[key].is_object() && value.is_object()) {
      add_defaults(target[key], value);
    }
  }
}

void check_inventory(const json& document, const std::string& file) {
  const bool has_targets = document.is_object() && document.contains("targets") &&
                           document["targets"].is_array() && !document["targets"].empty();
  if (!has_targets || !document.value("defaults", json::object()).is_object()) {
    throw usage_error("inventory.not_a_list",
                      "{} must hold {{\"defaults\": {{…}}, \"targets\": [{{\"host\": …}}, …]}} "
                      "with at least one target",
                      file);
  }
  for (const auto& [key, value] : document.items()) {
    if (key != "defaults" && key != "targets" && !key.starts_with('_')) {
      throw usage_error("target.unknown_field",
                        "{}: unknown field \"{}\"; known are: {} (a field that begins with \"_\" "
                        "is a comment)",
                        file, key, "defaults, targets");
    }
  }
}

}  // namespace

Target parse_target(std::string_view text, const std::string& file) {
  return read_target(parse_without_duplicates(text, file), file);
}

std::vector<Target> parse_inventory(std::string_view text, const std::string& file) {
  const json document = parse_without_duplicates(text, file);
  check_inventory(document, file);
  const json defaults = document.value("defaults", json::object());
  std::vector<Target> targets;
  for (json target : document["targets"]) {
    if (target.is_object()) {
      add_defaults(target, defaults);
    }
    targets.push_back(read_target(target, fmt::format("{}: targets[{}]", file, targets.size())));
  }
  return targets;
}

std::vector<Target> parse_targets(std::string_view text, const std::string& file) {
  const json document = parse_without_duplicates(text, file);
  if (document.is_object() && document.contains("targets")) {
    return parse_inventory(text, file);
  }
  return {parse_target(text, file)};
}

void refuse_equal_targets(const std::vector<Target>& targets) {
  std::set<std::string> known;
  for (const Target& target : targets) {
    if (!known.insert(endpoint(target)).second) {
      throw usage_error("target.twice", "the agent at {} is named twice: once is enough",
                        title(target));
    }
  }
}

std::string title(const Target& target) {
  return fmt::format("{}:{}", target.host, target.port);
}

std::string endpoint(const Target& target) {
  const bool is_ipv6 = target.host.find(':') != std::string::npos && target.host.front() != '[';
  return is_ipv6 ? fmt::format("tcp://[{}]:{}", target.host, target.port)
                 : fmt::format("tcp://{}:{}", target.host, target.port);
}

}  // namespace mstune::coordinator
