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

TEST_CASE("agent options: nothing but this machine is listened to") {
  CHECK_NOTHROW(check_endpoint("tcp://127.0.0.1:18600"));
  CHECK_NOTHROW(check_endpoint("tcp://[::1]:0"));
  CHECK_NOTHROW(check_endpoint("ipc:///run/a.sock"));
  CHECK_THROWS_AS(check_endpoint("tcp://0.0.0.0:18600"), Error);
  CHECK_THROWS_AS(check_endpoint("tcp://*:18600"), Error);
  CHECK_THROWS_AS(check_endpoint("tcp://192.168.1.10:18600"), Error);
  CHECK_THROWS_AS(check_endpoint("127.0.0.1:18600"), Error);
  CHECK_NOTHROW(check_endpoint("ipc://" + std::string(107, 'x')));
  CHECK_THROWS_AS(check_endpoint("ipc://" + std::string(108, 'x')), Error);
}

TEST_CASE("agent options: the work directory follows the user's state directory") {
  const char* argv[] = {"mstune-agent"};
  const auto at = [&](const Environment& environment) {
    return std::get<ServerOptions>(parse_options(1, argv, environment)).work_dir.string();
  };
  CHECK(at({{"HOME", "/home/u"}}) == "/home/u/.local/state/mstune-agent");
  CHECK(at({{"HOME", "/home/u"}, {"XDG_STATE_HOME", "/s"}}) == "/s/mstune-agent");
}

}  // namespace
}  // namespace mstune::agent
