#include "agent/environment.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

TEST_CASE("environment: the output of env -0 is read whole, values may hold anything") {
  using namespace std::string_view_literals;
  CHECK(parse_environment("A=1\0B=x=y\nz\0C=\0"sv) ==
        Environment{{"A", "1"}, {"B", "x=y\nz"}, {"C", ""}});
  CHECK(parse_environment("A=1"sv) == Environment{{"A", "1"}});
  CHECK(parse_environment(""sv).empty());
}

TEST_CASE("environment: base, then the spec, then what the measurement needs") {
  protocol::TrialSpec spec;
  spec.environment = {{"A", "spec"}, {"ASCEND_PROCESS_LOG_PATH", "/elsewhere"}};
  spec.unset = {"B"};
  const auto result = trial_environment({{"A", "base"}, {"B", "base"}, {"C", "base"}}, spec,
                                        {"/w/t1/plog", {}});
  CHECK(result.variables.at("A") == "spec");
  CHECK_FALSE(result.variables.contains("B"));
  CHECK(result.variables.at("C") == "base");
  CHECK(result.variables.at("ASCEND_PROCESS_LOG_PATH") == "/w/t1/plog");
  CHECK(result.variables.at("ASCEND_GLOBAL_EVENT_ENABLE") == "1");
  CHECK_FALSE(result.variables.contains("ASCEND_RT_VISIBLE_DEVICES"));
  CHECK(result.notices.empty());
}

TEST_CASE("environment: both printing variables are off, and who had one on is told") {
  const auto result =
      trial_environment({{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}, {"MINIDAG_PROFILING_PATH", "/p"}}, {},
                        {"/w/plog", {}});
  CHECK(result.variables.at("ASCEND_LOG_PRINT_TO_STDOUT") == "0");
  CHECK(result.variables.at("ASCEND_SLOG_PRINT_TO_STDOUT") == "0");
  CHECK_FALSE(result.variables.contains("MINIDAG_PROFILING_PATH"));
  REQUIRE(result.notices.size() == 2);
  CHECK(result.notices[0].id == "trial.printing_off");
  CHECK(result.notices[1].id == "trial.minidag_removed");
}

TEST_CASE("environment: devices are selected in ascending order") {
  const auto result = trial_environment({}, {}, {"/w/plog", {3, 1}});
  CHECK(result.variables.at("ASCEND_RT_VISIBLE_DEVICES") == "1,3");
  CHECK(result.variables.at("ASCEND_DEVICE_ID") == "0");
}

}  // namespace
}  // namespace mstune::agent
