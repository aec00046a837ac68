#include <string>

#include <doctest/doctest.h>

#include "tests/standin/acl/visible_devices.h"
#include "tests/standin/atc/options.h"
#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/knobs.h"
#include "tests/standin/executor/step_recorder.h"
#include "tests/standin/executor/values.h"

using standin::om_path;
using standin::visible_devices;

TEST_CASE("visible devices: all without the variable, none when it is empty") {
  CHECK(visible_devices(std::nullopt, 3) == std::vector<int>{0, 1, 2});
  CHECK(visible_devices("", 3).empty());
}

TEST_CASE("visible devices: reading stops at the first that does not fit") {
  CHECK(visible_devices("1,2", 4) == std::vector<int>{1, 2});
  CHECK(visible_devices("2,1,3", 4) == std::vector<int>{2});
  CHECK(visible_devices("1,1", 4) == std::vector<int>{1});
  CHECK(visible_devices("0,9,1", 4) == std::vector<int>{0});
  CHECK(visible_devices("0;1", 4) == std::vector<int>{0});
  CHECK(visible_devices("0,x,1", 4) == std::vector<int>{0});
  CHECK(visible_devices("4", 4).empty());
  CHECK(visible_devices("-1", 4).empty());
}

TEST_CASE("om path: the suffix is appended always") {
  CHECK(om_path("dir/model", false, "linux", "x86_64") == "dir/model.om");
  CHECK(om_path("model.om", false, "linux", "x86_64") == "model.om.om");
}

TEST_CASE("om path: an unknown shape goes before the first .om of the path") {
  CHECK(om_path("m", true, "linux", "aarch64") == "m_linux_aarch64.om");
  CHECK(om_path("a.om/m", true, "linux", "x86_64") == "a_linux_x86_64.om/m.om");
}

TEST_CASE("atc options: both ways to give a value are taken") {
  const auto options =
      standin::parse_options({"--model=a=b", "--output", "o", "--soc_version=Ascend910B2"});
  CHECK(options.value("model") == "a=b");
  CHECK(options.value("output") == "o");
  CHECK(options.value("log", "null") == "null");
}

TEST_CASE("atc options: unknown, incomplete and missing ones are refused") {
  CHECK_THROWS_AS(standin::parse_options({"--what=1"}), standin::GeError);
  CHECK_THROWS_AS(standin::parse_options({"model"}), standin::GeError);
  CHECK_THROWS_AS(standin::parse_options({"--model"}), standin::GeError);
  CHECK_THROWS_AS(standin::parse_options({"--model=m", "--output=o"}), standin::GeError);
  CHECK_THROWS_AS(standin::parse_options({"--mode=6"}), standin::GeError);
}

TEST_CASE("recorder: the mode is cut at 128 bytes and made of safe characters") {
  CHECK(standin::recorded_mode("LoadBalance:4_.-") == "LoadBalance:4_.-");
  CHECK(standin::recorded_mode("a b\tc=\xC3\xA9") == "a_b_c___");
  CHECK(standin::recorded_mode(std::string(127, 'm')).size() == 127);
  CHECK(standin::recorded_mode(std::string(129, 'm')).size() == 128);
}

TEST_CASE("faults: several are read, malformed ones are left out") {
  const auto faults = standin::parse_faults("abort@3,exec:507011@4,nonsense,hang@x,sync:1@0");
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].what == "abort");
  CHECK(faults[1].code == 507011);
  CHECK(faults[1].step == 4);
  CHECK(faults[2].what == "sync");
}
