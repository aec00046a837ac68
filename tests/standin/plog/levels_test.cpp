#include "tests/standin/plog/levels.h"

#include <doctest/doctest.h>

#include "tests/standin/plog/dlog_pub.h"

namespace standin::plog {
namespace {

constexpr std::int32_t kRunGe = RUN_LOG_MASK | GE;

TEST_CASE("levels: by default errors go to debug/, and run/ takes INFO") {
  const LevelRules rules = level_rules(nullptr, nullptr, nullptr);
  CHECK(channel_of(rules, GE, DLOG_ERROR) == Channel::debug);
  CHECK_FALSE(channel_of(rules, GE, DLOG_WARN));
  CHECK(channel_of(rules, kRunGe, DLOG_INFO) == Channel::run);
  CHECK_FALSE(channel_of(rules, kRunGe, DLOG_DEBUG));
  CHECK(channel_of(rules, SECURITY_LOG_MASK | GE, DLOG_INFO) == Channel::security);
  CHECK(channel_of(rules, GE, DLOG_EVENT) == Channel::run);
}

TEST_CASE("levels: the global level moves debug/ only, and 4 closes it") {
  CHECK(channel_of(level_rules("0", nullptr, nullptr), GE, DLOG_DEBUG) == Channel::debug);
  const LevelRules closed = level_rules("4", nullptr, nullptr);
  CHECK_FALSE(channel_of(closed, GE, DLOG_ERROR));
  CHECK_FALSE(channel_of(closed, GE, DLOG_NULL));
  CHECK(channel_of(closed, kRunGe, DLOG_INFO) == Channel::run);
}

TEST_CASE("levels: a value out of range counts as unset") {
  for (const char* value : {"5", "-1", "", "01", "1 ", "INFO"}) {
    CHECK(level_rules(value, nullptr, nullptr).global == DLOG_ERROR);
  }
}

TEST_CASE("levels: a module's level wins over the global one") {
  const LevelRules rules = level_rules("1", "GE=3:RUNTIME=0", nullptr);
  CHECK_FALSE(channel_of(rules, GE, DLOG_INFO));
  CHECK(channel_of(rules, RUNTIME, DLOG_DEBUG) == Channel::debug);
  CHECK(channel_of(rules, ASCENDCL, DLOG_INFO) == Channel::debug);
}

TEST_CASE("levels: one mistake voids the whole module string") {
  for (const char* text : {"", "GE", "GE=", "GE=5", "GE=1:", ":GE=1", "GE=1,RUNTIME=1", "GE=1 ",
                           "GE=1::RUNTIME=1", "NOBODY=1:GE=1", "GE=11", "ge=1"}) {
    CHECK_MESSAGE(level_rules(nullptr, text, nullptr).by_module.empty(), text);
  }
}

TEST_CASE("levels: events are silenced by 0 alone, and only those of the level EVENT") {
  CHECK(level_rules(nullptr, nullptr, "1").events);
  CHECK(level_rules(nullptr, nullptr, "off").events);
  const LevelRules silent = level_rules(nullptr, nullptr, "0");
  CHECK_FALSE(channel_of(silent, GE, DLOG_EVENT));
  CHECK_FALSE(channel_of(silent, kRunGe, DLOG_EVENT));
  CHECK(channel_of(silent, kRunGe, DLOG_INFO) == Channel::run);
}

TEST_CASE("levels: who asks for more than errors is marked") {
  CHECK_FALSE(level_rules("3", "GE=4", nullptr).below_error_set);
  CHECK(level_rules("2", nullptr, nullptr).below_error_set);
  CHECK(level_rules(nullptr, "GE=2", nullptr).below_error_set);
}

TEST_CASE("levels: modules have their real names, unknown ones their number") {
  CHECK(module_name(kRunGe) == "GE");
  CHECK(module_name(ASCENDCL) == "ASCENDCL");
  CHECK(module_name(999) == "999");
  CHECK(module_id("TDT") == TDT);
  CHECK_FALSE(module_id("TDT ").has_value());
}

}  // namespace
}  // namespace standin::plog
