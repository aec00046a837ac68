#include "agent/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include <fmt/format.h>

#include "agent/options_table.h"
#include "common/cli/help.h"
#include "common/cli/line.h"
#include "common/error.h"
#include "common/os/file.h"
#include "common/os/guarded_file.h"
#include "common/os/home.h"
#include "common/version.h"

namespace mstune::agent {
namespace {

constexpr int kDeviceMax = 1023;
constexpr std::size_t kSocketPathMax = 107;  // sun_path less its end

int parse_device(std::string_view text, std::string_view whole) {
  int device = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), device);
  if (failure != std::errc{} || end != text.data() + text.size() || device < 0 ||
      device > kDeviceMax) {
    throw usage_error("agent.bad_devices",
                      "--devices \"{}\": write logic ids as in \"0-7\" or \"0,2\" (0 to {})", whole,
                      kDeviceMax);
  }
  return device;
}

bool exists(const std::string& path) {
  std::error_code failure;
  return std::filesystem::exists(path, failure);
}

// TCP is for keys or for those who say that they need none; a local socket is guarded by its
// directory, and by keys as well where some are named.
std::optional<GateOptions> gate_of(const std::string& endpoint, bool named,
                                   const std::function<GateOptions()>& find_files, bool insecure) {
  if (insecure) {
    if (named) {
      throw usage_error("agent.insecure_with_keys",
                        "--insecure lets everybody in, --key and --authorized do not: take one of "
                        "them away");
    }
    return std::nullopt;
  }
  if (endpoint.starts_with("ipc://") && !named) {
    return std::nullopt;
  }
  const GateOptions files = find_files();
  for (const auto& [option, path] : {std::pair{"--key", files.key.string()},
                                     std::pair{"--authorized", files.authorized.string()}}) {
    if (!exists(path)) {
      throw usage_error(
          "agent.no_keys",
          "{} {} is not there, and an agent runs commands for whoever can reach it: make its key "
          "with \"mstune-agent --keygen --key {}\", and put the .pub files of its clients into {}; "
          "or listen at ipc://PATH, or say --insecure",
          option, path, files.key.string(), files.authorized.string());
    }
  }
  return files;
}

// Whoever may write into the socket's directory could put another socket there.
void check_socket_directory(const std::string& endpoint) {
  const auto path = os::absolute_path(endpoint.substr(std::string_view("ipc://").size()));
  struct stat info {};
  if (::stat(path.parent_path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != ::geteuid() || (info.st_mode & 077U) != 0) {
    throw usage_error("agent.open_socket_directory",
                      "--listen {}: {} must be a directory of this user that nobody else can look "
                      "into (mkdir -m 700), or whoever can reach the socket may run commands",
                      endpoint, path.parent_path().string());
  }
}

// The owner's rules. Without a file everything is as it is by default; one that was named must be
// there, or its owner would believe in rules that nobody keeps.
Policy policy_of(const std::string& file, bool named) {
  constexpr std::size_t kPolicyBytesMax = std::size_t{1} << 20U;
  if (!named && !exists(file)) {
    return parse_policy("", file);
  }
  return parse_policy(os::read_guarded(file, os::Guard::nobody_else_writes, kPolicyBytesMax), file);
}

void bind_to_policy(ServerOptions& options, const Policy& policy) {
  const auto bind = [](std::uint64_t& limit, std::uint64_t largest) {
    limit = largest == 0 ? limit : std::min(limit, largest);
  };
  bind(options.store_limit_bytes, policy.store_bytes_max);
  bind(options.output_limit_bytes, policy.output_bytes_max);
  options.policy = policy;
}

std::vector<Message> warnings_of(const ServerOptions& options, bool insecure) {
  std::vector<Message> warnings;
  if (insecure) {
    warnings.push_back(message("agent.insecure",
                               "--insecure: everybody who can reach {} may run commands here as "
                               "this user, and nothing is encrypted",
                               options.endpoint));
  }
  if (::geteuid() == 0 && !options.ends_with_parent) {
    warnings.push_back(message("agent.is_root",
                               "running as root, and so does every program under test: an ordinary "
                               "user who may use the devices is enough"));
  }
  return warnings;
}

// Where things are unless it is said.
struct Places {
  std::string work_dir;
  std::string key;
  std::string authorized;
  std::string config;
};

// "~" is filled in when it is known what is needed.
std::string default_directory(const Environment& environment, const char* variable,
                              const char* in_home) {
  const auto found = environment.find(variable);
  return found != environment.end() && found->second.starts_with('/') ? found->second : in_home;
}

Places default_places(const Environment& environment) {
  const std::string directory =
      default_directory(environment, "XDG_CONFIG_HOME", "~/.config") + "/mstune";
  return {default_directory(environment, "XDG_STATE_HOME", "~/.local/state") + "/mstune-agent",
          directory + "/agent.key", directory + "/authorized", directory + "/agent.conf"};
}

Wanted wanted_by(const cli::Line& line, const Environment& environment) {
  const auto given = line.options<GivenOptions>();
  ServerOptions options;
  options.endpoint = given.listen;
  check_endpoint(options.endpoint);
  if (given.probe) {
    return ProbeWanted{given.listen, !given.insecure};
  }
  options.devices.find = given.devices == "auto";
  options.devices.rules.wait_max = given.busy_wait;
  if (line.has("--devices") && !options.devices.find) {
    options.devices.devices = parse_devices(given.devices);
  }
  options.devices.rules.context_memory_mb = given.context_memory_mb;
  options.output_limit_bytes = given.output_limit_bytes;
  options.store_limit_bytes = given.store_limit_bytes;
  options.ends_with_parent = given.ends_with_parent;
  const std::vector<std::string> strings = environment_strings(environment);
  const Places places = default_places(environment);
  const auto place = [&](const std::string& path, const std::string& otherwise,
                         const char* option) {
    return os::absolute_path(os::in_home(path.empty() ? otherwise : path, strings, option));
  };
  const auto key_files = [&] {
    return GateOptions{place(given.key, places.key, "--key"),
                       place(given.authorized, places.authorized, "--authorized")};
  };
  if (given.make_key) {
    const GateOptions files = key_files();
    return KeyWanted{files.key, files.authorized};
  }
  options.work_dir = place(given.work_dir, places.work_dir, "--work-dir");
  options.gate = gate_of(options.endpoint, line.has("--key") || line.has("--authorized"), key_files,
                         given.insecure);
  if (options.endpoint.starts_with("ipc://") && !options.gate && !given.insecure) {
    check_socket_directory(options.endpoint);
  }
  const bool has_config = line.has("--config");
  if (!options.ends_with_parent && (has_config || os::home_directory(strings))) {
    bind_to_policy(options, policy_of(place(given.config, places.config, "--config"), has_config));
  }
  options.warnings = warnings_of(options, given.insecure);
  options.reconnect_grace = given.reconnect_grace;
  return options;
}

// What it says of itself, if that is asked for.
std::optional<std::string> description(const cli::Command& table, const cli::Line& line) {
  if (line.wants == cli::Wants::help || line.wants == cli::Wants::help_all) {
    return cli::help(line.commands, line.wants == cli::Wants::help_all);
  }
  const std::string version = std::string("mstune-agent ") + kVersion;
  if (line.wants == cli::Wants::version) {
    return version + "\n";
  }
  if (line.has("--man")) {
    return cli::man_page(table, version);
  }
  if (line.has("--markdown")) {
    return cli::options_page(table);
  }
  if (line.has("--completion")) {
    return line.text("--completion") == "zsh" ? cli::zsh_completion(table)
                                              : cli::bash_completion(table);
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> parse_devices(std::string_view text) {
  std::vector<int> devices;
  std::string_view rest = text;
  for (;;) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const auto dash = item.find('-');
    const int first = parse_device(item.substr(0, dash), text);
    const int last =
        dash == std::string_view::npos ? first : parse_device(item.substr(dash + 1), text);
    for (int device = first; device <= last; ++device) {
      devices.push_back(device);
    }
    if (rest.size() == item.size()) {
      break;
    }
    rest.remove_prefix(item.size() + 1);
  }
  std::sort(devices.begin(), devices.end());
  if (devices.empty() || std::adjacent_find(devices.begin(), devices.end()) != devices.end()) {
    throw usage_error("agent.devices_twice",
                      "--devices \"{}\": each device once, ranges from the smaller to the larger",
                      text);
  }
  return devices;
}

// "*" is a port that the system chooses.
void check_port(std::string_view endpoint, std::string_view port) {
  constexpr unsigned kPortMax = 65535;
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_number = failure == std::errc() && end == port.data() + port.size();
  if (port != "*" && (!is_number || number < 1 || number > kPortMax)) {
    throw usage_error("agent.bad_port",
                      "--listen {}: \"{}\" is no port: write a number from 1 to {}, or * for one "
                      "that is free",
                      endpoint, port, kPortMax);
  }
}

void check_endpoint(std::string_view endpoint) {
  constexpr std::string_view kIpc = "ipc://";
  constexpr std::string_view kTcp = "tcp://";
  if (endpoint.starts_with(kIpc)) {
    if (endpoint.size() - kIpc.size() > kSocketPathMax) {
      throw usage_error("agent.socket_path_too_long",
                        "--listen {}: the path of a socket has at most {} bytes", endpoint,
                        kSocketPathMax);
    }
    return;
  }
  const auto colon = endpoint.rfind(':');
  if (endpoint.starts_with(kTcp) && colon > kTcp.size() && colon != endpoint.npos) {
    check_port(endpoint, endpoint.substr(colon + 1));
    return;
  }
  throw usage_error("agent.bad_endpoint",
                    "--listen {}: write tcp://127.0.0.1:PORT or ipc:///PATH/TO/SOCKET", endpoint);
}

Wanted parse_options(std::span<const std::string> arguments, const Environment& environment) {
  const cli::Command table = options_table();
  const cli::Line line = cli::parse(
      table, arguments, {os::home_directory(environment_strings(environment)).value_or("")});
  if (const auto text = description(table, line)) {
    return Printed{*text, 0};
  }
  return wanted_by(line, environment);
}

}  // namespace mstune::agent
