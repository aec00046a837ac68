#include "coordinator/agent_answer.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace mstune::coordinator {
namespace {

AgentAnswer answer() {
  AgentAnswer answer;
  answer.agent = "tcp://npu-1:18600";
  answer.welcome.emplace();
  answer.welcome->software = "0.1.0";
  answer.welcome->host = "npu1";
  answer.condition.emplace();
  answer.condition->store = {3, 5ULL << 30U, 0, 64ULL << 30U, 9};
  answer.welcome->chips = {"Ascend910B2", "Ascend910B2"};
  answer.welcome->driver_version = "24.1.0.3";
  answer.condition->devices = {
      {0, protocol::DeviceState::free, "", 0, 0, "Ascend910B2", {0, "37", "96.4", "800"}, 0},
      {1, protocol::DeviceState::busy, "ann", 7, 61, "Ascend910B2", {1, "52", "", "1800"}, 61}};
  answer.condition->queued = 2;
  answer.round_trip_ms = 0.254;
  return answer;
}

AgentAnswer silent() {
  AgentAnswer answer;
  answer.agent = "tcp://gone:1";
  answer.failure = message("agents.no_answer", "no answer");
  return answer;
}

TEST_CASE("agent answer: a table has a line for each agent, and one that is silent says why") {
  const std::string table = agents_table({answer(), silent()});
  CHECK(table.starts_with("  agent              version"));
  CHECK(table.find("tcp://npu-1:18600  0.1.0    npu1  Ascend910B2  -     24.1.0.3  0.25 ms") !=
        std::string::npos);
  CHECK(table.find("3 files, 5.0 GiB of 64.0 GiB") != std::string::npos);
  CHECK(table.find("1 of 2 free, 2 queued\n") != std::string::npos);
  CHECK(table.find("tcp://gone:1") != std::string::npos);
  CHECK(table.find("no answer\n") != std::string::npos);
}

TEST_CASE("agent answer: each device has a line with its meters, and how old they are") {
  const std::string table = agents_table({answer(), silent()});
  INFO(table);
  CHECK(table.find("0  Ascend910B2         37 C  96.4 W   800 MHz            free\n") !=
        std::string::npos);
  CHECK(
      table.ends_with("1  Ascend910B2         52 C       -  1800 MHz  61 s ago  "
                      "busy: trial 7 of ann for 61 s\n"));
}

TEST_CASE("agent answer: a device that somebody else uses is not free, and its user is named") {
  AgentAnswer used = answer();
  used.condition->devices[0].user = {47928, "python", 9000};
  const std::string table = agents_table({used});
  INFO(table);
  CHECK(table.find("0 of 2 free, 2 queued\n") != std::string::npos);
  CHECK(table.find("  used by python (47928, 9000 MB)\n") != std::string::npos);
  const auto devices = nlohmann::json::parse(agents_json({used}))["agents"][0]["devices"];
  CHECK(devices[0]["user"] ==
        nlohmann::json{{"pid", 47928}, {"name", "python"}, {"memory_mb", 9000}});
  CHECK(devices[1]["user"].is_null());
  used.condition->devices[0].user.memory_mb = 0;
  CHECK(agents_table({used}).find("  used by python (47928)\n") != std::string::npos);
}

TEST_CASE("agent answer: what was purged is told below the table") {
  AgentAnswer purged = answer();
  purged.purged = protocol::Purged{5ULL << 30U, 0};
  CHECK(agents_table({purged}).ends_with(
      "tcp://npu-1:18600: purged, 5.0 GiB freed, 0 B are needed and kept\n"));
}

TEST_CASE("agent answer: the document has the same, and null where there is nothing") {
  const auto json = nlohmann::json::parse(agents_json({answer(), silent()})).at("agents");
  CHECK(json.at(0).at("reachable") == true);
  CHECK(json.at(0).at("store").at("bytes") == 5ULL << 30U);
  CHECK(json.at(0).at("devices").at(0).at("holder").is_null());
  CHECK(json.at(0).at("devices").at(1).at("trial") == 7);
  CHECK(json.at(0).at("devices").at(1).at("held_for_s") == 61);
  CHECK(json.at(0).at("devices").at(0).at("power_w") == 96.4);
  CHECK(json.at(0).at("devices").at(1).at("power_w").is_null());
  CHECK(json.at(0).at("devices").at(1).at("read_ago_s") == 61);
  CHECK(json.at(0).at("driver_version") == "24.1.0.3");
  CHECK(json.at(0).at("cann_version").is_null());
  CHECK_FALSE(json.at(0).contains("purged"));
  CHECK(json.at(1).at("reachable") == false);
  CHECK(json.at(1).at("why") == "no answer");
  CHECK_FALSE(json.at(1).contains("store"));
}

TEST_CASE("agent answer: without device selection a place has no number") {
  AgentAnswer plain = answer();
  plain.condition->devices = {{-1, protocol::DeviceState::free, "", 0, 0}};
  plain.condition->queued = 0;
  CHECK(agents_table({plain}).ends_with("  free\n"));
  CHECK(nlohmann::json::parse(agents_json({plain}))
            .at("agents")
            .at(0)
            .at("devices")
            .at(0)
            .at("device")
            .is_null());
}

}  // namespace
}  // namespace mstune::coordinator
