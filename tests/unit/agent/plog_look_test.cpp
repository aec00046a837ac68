#include "agent/plog_look.h"

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

protocol::Facts facts_of(const os::Scratch& scratch) {
  protocol::Facts facts;
  add_plog_facts(scratch.path(), facts);
  return facts;
}

TEST_CASE("plog look: of which processes it is, and whether a line is cut") {
  const os::Scratch scratch;
  CHECK(std::get<std::string>(facts_of(scratch).at("plog_processes")).empty());
  os::make_directory(scratch / "run/plog");
  os::append_to(scratch / "run/plog/plog-42_20260101000000000.log", "one\ntwo\n");
  os::append_to(scratch / "run/plog/plog-7_20260101000000000.log", "");
  os::append_to(scratch / "run/plog/other.log", "three\n");
  CHECK(std::get<std::string>(facts_of(scratch).at("plog_processes")) == "7 42");
  CHECK(facts_of(scratch).count("plog_cut") == 0);
  CHECK(facts_of(scratch).count("plog_uid") == 0);
  os::append_to(scratch / "run/plog/plog-42_20260101000000000.log", "[INFO] GE(42,");
  CHECK(std::get<std::string>(facts_of(scratch).at("plog_cut")) == "[INFO] GE(42,");
}

TEST_CASE("plog look: room on its disk") {
  const os::Scratch scratch;
  CHECK(free_bytes(scratch.path()).value() >= 0);
  CHECK_FALSE(free_bytes(scratch / "nowhere"));
}

}  // namespace
}  // namespace mstune::agent
