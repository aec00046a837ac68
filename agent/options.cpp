#include "agent/options.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>

#include "common/cli/describe.h"
#include "common/cli/self_description.h"
#include "common/error.h"
#include "common/language.h"
#include "common/os/file.h"
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

std::string default_work_dir(const Environment& environment) {
  const auto value = [&](const char* variable) {
    const auto found = environment.find(variable);
    return found == environment.end() ? std::string() : found->second;
  };
  if (const std::string state = value("XDG_STATE_HOME"); !state.empty()) {
    return state + "/mstune-agent";
  }
  if (const std::string home = value("HOME"); !home.empty()) {
    return home + "/.local/state/mstune-agent";
  }
  return "/tmp/mstune-agent-" + std::to_string(::getuid());
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
  if (endpoint.starts_with(kTcp)) {
    const std::string_view address = endpoint.substr(kTcp.size());
    const std::string_view host = address.substr(0, address.rfind(':'));
    if (host.starts_with("127.") || host == "[::1]" || host == "localhost") {
      return;
    }
    throw usage_error("agent.not_loopback",
                      "--listen {}: an agent runs commands for whoever can reach it, so it listens "
                      "on this machine only (tcp://127.0.0.1:PORT or ipc://PATH); reach it from "
                      "another one through a tunnel",
                      endpoint);
  }
  throw usage_error("agent.bad_endpoint",
                    "--listen {}: write tcp://127.0.0.1:PORT or ipc:///PATH/TO/SOCKET", endpoint);
}

std::variant<ServerOptions, Printed> parse_options(int argc, const char* const* argv,
                                                   const Environment& environment) {
  ServerOptions options;
  options.endpoint = fmt::format("tcp://127.0.0.1:{}", protocol::kDefaultPort);
  std::string work_dir = default_work_dir(environment);
  std::string devices;
  double grace_seconds = 60;
  CLI::App app{"mstune-agent: runs programs under test on this machine for a coordinator (mstune)",
               "mstune-agent"};
  app.set_version_flag("--version", std::string("mstune-agent ") + kVersion);
  app.add_option("--listen", options.endpoint, "Address to listen at (tcp://… or ipc://…)")
      ->capture_default_str();
  app.add_option("--work-dir", work_dir, "Where trials run and files are kept; made 0700")
      ->capture_default_str();
  app.add_option("--devices", devices,
                 "Logic ids of the devices to offer, as in 0-7 (default: one slot, device "
                 "selection left alone)");
  app.add_option("--reconnect-grace", grace_seconds,
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
    throw usage_error("agent.bad_option", "{}; see mstune-agent --help", std::string(error.what()));
  }
  if (const auto text = self.text()) {
    return Printed{*text, 0};
  }
  check_endpoint(options.endpoint);
  if (!devices.empty()) {
    options.devices = parse_devices(devices);
  }
  const auto home = environment.find("HOME");
  options.work_dir = os::absolute_path(
      os::expand_home(work_dir, home == environment.end() ? std::string() : home->second));
  options.reconnect_grace =
      std::chrono::milliseconds(static_cast<std::int64_t>(grace_seconds * 1000));
  return options;
}

}  // namespace mstune::agent
