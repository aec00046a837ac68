#include "agent/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "common/cli/describe.h"
#include "common/cli/parse_error.h"
#include "common/cli/self_description.h"
#include "common/error.h"
#include "common/language.h"
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
std::optional<GateOptions> gate_of(const std::string& endpoint, const CLI::App& app,
                                   const std::function<GateOptions()>& find_files, bool insecure) {
  const bool named = app.count("--key") + app.count("--authorized") > 0;
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
          "with \"mstune keygen NAME --file {}\", and put the .pub files of its clients into {}; "
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

// What is on the command line as it stands there, before it is understood.
struct Texts {
  std::string work_dir;
  std::string devices;
  double busy_wait_seconds = 600;
  double grace_seconds = 60;
  bool insecure = false;
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

Texts default_texts(const Environment& environment) {
  const std::string directory =
      default_directory(environment, "XDG_CONFIG_HOME", "~/.config") + "/mstune";
  Texts texts;
  texts.work_dir =
      default_directory(environment, "XDG_STATE_HOME", "~/.local/state") + "/mstune-agent";
  texts.key = directory + "/agent.key";
  texts.authorized = directory + "/authorized";
  texts.config = directory + "/agent.conf";
  return texts;
}

void add_options(CLI::App& app, ServerOptions& options, Texts& texts) {
  app.add_option("--listen", options.endpoint,
                 "Address to listen at (tcp://HOST:PORT or ipc://PATH)")
      ->capture_default_str();
  app.add_option("--work-dir", texts.work_dir, "Where trials run and files are kept; made 0700")
      ->capture_default_str();
  app.add_option("--key", texts.key,
                 "This agent's secret key, from \"mstune keygen NAME --file FILE\"")
      ->capture_default_str();
  app.add_option("--authorized", texts.authorized,
                 "Who may talk to it: a file of lines \"NAME KEY\", or a directory of .pub files; "
                 "read again when it changes")
      ->capture_default_str();
  app.add_option("--config", texts.config,
                 "The rules of this box's owner for clients; see README.md")
      ->capture_default_str();
  app.add_flag("--insecure", texts.insecure,
               "Without keys: everybody who can reach the address may run commands as this user");
  app.add_option("--devices", texts.devices,
                 "Logic ids of the devices to offer, as in 0-7, or auto: what npu-smi finds "
                 "(default: one slot, device selection left alone)");
  app.add_option("--busy-wait", texts.busy_wait_seconds,
                 "Seconds to wait for a device that somebody else uses")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  app.add_option("--context-memory", options.devices.rules.context_memory_mb,
                 "MB on a device below which a process only has a context there and is not waited "
                 "for")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 20U));
  app.add_option("--reconnect-grace", texts.grace_seconds,
                 "Seconds that a trial goes on without its coordinator")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  app.add_option("--output-limit", options.output_limit_bytes,
                 "Bytes of a program's output that are kept, as in 16MB")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("16MB");
  app.add_option("--store-limit", options.store_limit_bytes,
                 "Bytes of files that are kept for later runs, as in 64GB")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("64GB");
  app.add_flag("--ends-with-parent", options.ends_with_parent,
               "End when the process that started this one ends")
      ->group("");
}

void take(const Texts& texts, const CLI::App& app, const Environment& environment,
          ServerOptions& options) {
  check_endpoint(options.endpoint);
  options.devices.find = texts.devices == "auto";
  options.devices.rules.wait_max =
      std::chrono::milliseconds(static_cast<std::int64_t>(texts.busy_wait_seconds * 1000));
  if (!texts.devices.empty() && !options.devices.find) {
    options.devices.devices = parse_devices(texts.devices);
  }
  const std::vector<std::string> strings = environment_strings(environment);
  const auto absolute = [&](const std::string& path, const char* option) {
    return os::absolute_path(os::in_home(path, strings, option));
  };
  options.work_dir = absolute(texts.work_dir, "--work-dir");
  const auto key_files = [&] {
    return GateOptions{absolute(texts.key, "--key"), absolute(texts.authorized, "--authorized")};
  };
  options.gate = gate_of(options.endpoint, app, key_files, texts.insecure);
  if (options.endpoint.starts_with("ipc://") && !options.gate && !texts.insecure) {
    check_socket_directory(options.endpoint);
  }
  const bool has_config = app.count("--config") > 0;
  if (!options.ends_with_parent && (has_config || os::home_directory(strings))) {
    bind_to_policy(options, policy_of(absolute(texts.config, "--config"), has_config));
  }
  options.warnings = warnings_of(options, texts.insecure);
  options.reconnect_grace =
      std::chrono::milliseconds(static_cast<std::int64_t>(texts.grace_seconds * 1000));
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

std::variant<ServerOptions, Printed> parse_options(int argc, const char* const* argv,
                                                   const Environment& environment) {
  ServerOptions options;
  options.endpoint = fmt::format("tcp://127.0.0.1:{}", protocol::kDefaultPort);
  Texts texts = default_texts(environment);
  CLI::App app{"mstune-agent: runs programs under test on this machine for a coordinator (mstune)",
               "mstune-agent"};
  app.set_version_flag("--version", std::string("mstune-agent ") + kVersion);
  add_options(app, options, texts);
  const std::string version = app.version();
  const cli::SelfDescription self(app, version);
  cli::translate(app, catalogue(spoken()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Printed{app.help(), 0};
  } catch (const CLI::CallForVersion&) {
    return Printed{app.version() + "\n", 0};
  } catch (const CLI::ParseError& error) {
    throw usage_error("agent.bad_option", "{}; see mstune-agent --help",
                      cli::parse_error(error.what()));
  }
  if (const auto text = self.text()) {
    return Printed{*text, 0};
  }
  take(texts, app, environment, options);
  return options;
}

}  // namespace mstune::agent
