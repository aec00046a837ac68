#include "agent/options.h"

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::agent {
namespace {

TEST_CASE("agent options: devices are ranges and lists, each once") {
  CHECK(parse_devices("0-3,6") == std::vector<int>{0, 1, 2, 3, 6});
  CHECK(parse_devices("5") == std::vector<int>{5});
  for (const char* bad : {"", "a", "0-", "-1", "3-1", "0,0", "0-2,1", "1024", "0,,1", "0x1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_devices(bad), Error);
  }
}

TEST_CASE("agent options: an address is tcp with a port or ipc with a path that fits") {
  CHECK_NOTHROW(check_endpoint("tcp://127.0.0.1:18600"));
  CHECK_NOTHROW(check_endpoint("tcp://[::1]:*"));
  CHECK_NOTHROW(check_endpoint("tcp://0.0.0.0:18600"));
  CHECK_NOTHROW(check_endpoint("ipc:///run/a.sock"));
  CHECK_NOTHROW(check_endpoint("tcp://localhost:1"));
  CHECK_NOTHROW(check_endpoint("tcp://*:65535"));
  for (const char* port : {"0", "65536", "99999", "", "18600x", "-1", " 1"}) {
    CHECK_THROWS_AS(check_endpoint(std::string("tcp://127.0.0.1:") + port), Error);
  }
  CHECK_THROWS_AS(check_endpoint("tcp://127.0.0.1"), Error);
  CHECK_THROWS_AS(check_endpoint("127.0.0.1:18600"), Error);
  CHECK_NOTHROW(check_endpoint("ipc://" + std::string(107, 'x')));
  CHECK_THROWS_AS(check_endpoint("ipc://" + std::string(108, 'x')), Error);
}

std::string error_of(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments, {{"HOME", "/nowhere"}});
  } catch (const Error& error) {
    return error.message().id;
  }
  return "none";
}

TEST_CASE("agent options: without keys there is no TCP, but for who spells it out") {
  CHECK(error_of({}) == "agent.no_keys");
  CHECK(error_of({"--listen", "tcp://127.0.0.1:*"}) == "agent.no_keys");
  CHECK(error_of({"--insecure"}) == "none");
  CHECK(error_of({"--insecure", "--listen", "tcp://0.0.0.0:*"}) == "none");
  CHECK(error_of({"--insecure", "--key", "/nowhere/k"}) == "agent.insecure_with_keys");
}

TEST_CASE("agent options: the table's address is the one that clients assume") {
  const std::vector<std::string> insecure{"--insecure"};
  const auto options = std::get<ServerOptions>(parse_options(insecure, {{"HOME", "/nowhere"}}));
  CHECK(options.endpoint == "tcp://127.0.0.1:" + std::to_string(protocol::kDefaultPort));
  CHECK(options.output_limit_bytes == ServerOptions().output_limit_bytes);
  CHECK(options.store_limit_bytes == ServerOptions().store_limit_bytes);
  CHECK(options.reconnect_grace == ServerOptions().reconnect_grace);
  CHECK_FALSE(options.devices.find);
  CHECK(options.devices.devices.empty());
}

TEST_CASE("agent options: no devices are not the same as none said") {
  CHECK(error_of({"--insecure", "--devices", ""}) == "options.mistake");
}

TEST_CASE("agent options: a local socket needs a directory that nobody else can look into") {
  CHECK(error_of({"--listen", "ipc:///tmp/mstune.sock"}) == "agent.open_socket_directory");
  CHECK(error_of({"--listen", "ipc:///nowhere/mstune.sock"}) == "agent.open_socket_directory");
}

TEST_CASE("agent options: a bad value that stands as the first word as well is told as one") {
  CHECK(error_of({"5x", "--busy-wait", "5x", "--help"}) == "options.mistake_cured");
}

TEST_CASE("agent options: whoever says --insecure is warned") {
  const std::vector<std::string> insecure{"--insecure"};
  const auto options = std::get<ServerOptions>(parse_options(insecure, {{"HOME", "/nowhere"}}));
  REQUIRE_FALSE(options.warnings.empty());
  CHECK(options.warnings.front().id == "agent.insecure");
}

TEST_CASE("agent options: the work directory follows the user's state directory") {
  const std::vector<std::string> insecure{"--insecure"};
  const auto at = [&](const Environment& environment) {
    return std::get<ServerOptions>(parse_options(insecure, environment)).work_dir.string();
  };
  CHECK(at({{"HOME", "/home/u"}}) == "/home/u/.local/state/mstune-agent");
  CHECK(at({{"HOME", "/home/u"}, {"XDG_STATE_HOME", "/s"}}) == "/s/mstune-agent");
  // Only absolute ones count: nothing is ever put below where an agent happens to be started.
  CHECK(at({{"HOME", "/home/u"}, {"XDG_STATE_HOME", "s"}}) == "/home/u/.local/state/mstune-agent");
}

}  // namespace
}  // namespace mstune::agent
