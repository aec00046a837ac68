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
  answer.condition->devices = {{0, protocol::kDeviceFree, "", 0, 0},
                               {1, protocol::kDeviceBusy, "ann", 7, 61}};
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
  CHECK(table.find("tcp://npu-1:18600  0.1.0    npu1  0.25 ms") != std::string::npos);
  CHECK(table.find("3 files, 5.0 GiB of 64.0 GiB") != std::string::npos);
  CHECK(table.find("0 free, 1 busy: trial 7 of ann for 61 s, 2 queued\n") != std::string::npos);
  CHECK(table.find("tcp://gone:1") != std::string::npos);
  CHECK(table.ends_with("no answer\n"));
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
  CHECK_FALSE(json.at(0).contains("purged"));
  CHECK(json.at(1).at("reachable") == false);
  CHECK(json.at(1).at("why") == "no answer");
  CHECK_FALSE(json.at(1).contains("store"));
}

TEST_CASE("agent answer: without device selection a place has no number") {
  AgentAnswer plain = answer();
  plain.condition->devices = {{-1, protocol::kDeviceFree, "", 0, 0}};
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
