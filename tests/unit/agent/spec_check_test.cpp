#include "agent/spec_check.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

protocol::TrialSpec good() {
  protocol::TrialSpec spec;
  spec.command = {"/opt/infer", "--om", "{om}"};
  spec.om = "m.om";
  spec.files = {{"m.om", {std::string(32, 'x')}}, {"weight/part 1", {std::string(32, 'y')}}};
  spec.cann_env = "/opt/set_env.sh";
  spec.environment = {{"A", "=1="}};
  return spec;
}

template <typename Change>
std::string mistake_after(Change change) {
  protocol::TrialSpec spec = good();
  change(spec);
  const auto mistake = mistake_in(spec);
  return mistake ? mistake->id : "none";
}

TEST_CASE("spec check: what a coordinator sends is taken, and every damage to it is named") {
  using protocol::TrialSpec;
  const std::string nul("a\0b", 3);
  CHECK(mistake_after([](TrialSpec&) {}) == "none");
  CHECK(mistake_after([](TrialSpec& spec) { spec.command.clear(); }) == "agent.no_command");
  CHECK(mistake_after([](TrialSpec& spec) { spec.command[0] = ""; }) == "agent.no_command");
  CHECK(mistake_after([](TrialSpec& spec) { spec.shell = true; }) == "agent.bad_shell_command");
  CHECK(mistake_after([&](TrialSpec& spec) { spec.command[1] = nul; }) == "agent.bad_text");
  CHECK(mistake_after([&](TrialSpec& spec) { spec.cann_env = "/" + nul; }) == "agent.bad_text");
  CHECK(mistake_after([&](TrialSpec& spec) { spec.environment["B"] = nul; }) == "agent.bad_text");
  CHECK(mistake_after([](TrialSpec& spec) { spec.environment["B=C"] = "1"; }) == "agent.bad_text");
  CHECK(mistake_after([](TrialSpec& spec) { spec.environment[""] = "1"; }) == "agent.bad_text");
  CHECK(mistake_after([](TrialSpec& spec) { spec.cann_env = "x.sh"; }) == "agent.relative_path");
  CHECK(mistake_after([](TrialSpec& spec) { spec.working_directory = "."; }) ==
        "agent.relative_path");
  CHECK(mistake_after([](TrialSpec& spec) { spec.files[0].identity.value += "x"; }) ==
        "agent.bad_identity");
  CHECK(mistake_after([](TrialSpec& spec) { spec.files[1].name = "../x"; }) == "file.bad_name");
  CHECK(mistake_after([](TrialSpec& spec) { spec.om = "other.om"; }) == "agent.om_not_listed");
}

}  // namespace
}  // namespace mstune::agent
