#include "agent/variable_look.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

using std::string_literals::operator""s;

const std::vector<std::string> kGiven{"PATH=/bin", "ASCEND_PROCESS_LOG_PATH=/t/plog",
                                      "GE_AUTO_MULTISTREAM_PARALLEL_MODE=cv", "SECRET=1"};
const std::string kAll =
    "PATH=/bin\0ASCEND_PROCESS_LOG_PATH=/t/plog\0GE_AUTO_MULTISTREAM_PARALLEL_MODE=cv\0"s;
constexpr std::uint32_t kOwn = 1000;

protocol::Facts facts_of(const std::vector<std::vector<SeenProcess>>& looks) {
  VariableLook look(kGiven, kOwn);
  for (const auto& processes : looks) {
    look.take(processes);
  }
  protocol::Facts facts;
  look.add_facts(facts);
  return facts;
}

std::string text(const protocol::Facts& facts, const char* name) {
  return std::get<std::string>(facts.at(name));
}

TEST_CASE("variable look: what was lost or changed on the way, and nothing that is not ours") {
  CHECK(text(facts_of({{{kAll, kOwn}}}), "variables_lost").empty());
  CHECK(text(facts_of({{{kAll, kOwn}}}), "variables_changed").empty());
  const auto emptied = facts_of({{{kAll, kOwn}, {"", kOwn}}});
  CHECK(text(emptied, "variables_lost") ==
        "ASCEND_PROCESS_LOG_PATH GE_AUTO_MULTISTREAM_PARALLEL_MODE");
  const auto changed =
      facts_of({{{"ASCEND_PROCESS_LOG_PATH=/own\0GE_AUTO_MULTISTREAM_PARALLEL_MODE=cv\0SECRET=2\0"s,
                  kOwn}}});
  CHECK(text(changed, "variables_lost").empty());
  CHECK(text(changed, "variables_changed") == "ASCEND_PROCESS_LOG_PATH=/own");
}

TEST_CASE("variable look: the last look that saw anything counts") {
  CHECK(text(facts_of({{{"", kOwn}}, {{kAll, kOwn}}, {}}), "variables_lost").empty());
  CHECK(facts_of({}).count("variables_lost") == 0);
}

TEST_CASE("variable look: what may not be read is told, and so is its user") {
  const auto other = facts_of({{{kAll, kOwn}}, {{std::nullopt, 0}}});
  CHECK(std::get<std::int64_t>(other.at("processes_unreadable")) == 1);
  CHECK(std::get<std::int64_t>(other.at("program_uid")) == 0);
  CHECK(std::get<std::int64_t>(other.at("agent_uid")) == kOwn);
  CHECK(text(other, "variables_lost").empty());
  CHECK(facts_of({{{kAll, kOwn}}}).count("program_uid") == 0);
}

}  // namespace
}  // namespace mstune::agent
