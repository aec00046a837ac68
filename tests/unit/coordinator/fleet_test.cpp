#include "coordinator/fleet.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

AgentRecord agent(const std::string& target, const std::string& cann = "8.1") {
  AgentRecord record;
  record.target = target;
  record.host = target;
  record.cann_version = cann;
  record.driver_version = "24.1";
  record.architecture = "aarch64";
  record.boot_id = "boot of " + target;
  record.state = "ready";
  return record;
}

DeviceRecord device(std::uint32_t number, std::uint32_t of_agent, std::vector<std::int32_t> ids,
                    const std::string& chip = "Ascend910B2") {
  return {number, of_agent, std::move(ids), chip, {}};
}

Fleet two_agents() {
  Fleet fleet;
  fleet.agents = {agent("npu-a"), agent("npu-b")};
  fleet.devices = {device(0, 0, {0}), device(1, 1, {0})};
  return fleet;
}

bool refuses(const Fleet& fleet, const MatchRules& rules, const std::string& id) {
  const auto found = mismatches(fleet, rules);
  return std::any_of(found.begin(), found.end(), [&](const Mismatch& mismatch) {
    return mismatch.refusal && mismatch.what.id == id;
  });
}

bool warns(const Fleet& fleet, const MatchRules& rules, const std::string& id) {
  const auto found = mismatches(fleet, rules);
  return std::any_of(found.begin(), found.end(), [&](const Mismatch& mismatch) {
    return !mismatch.refusal && mismatch.what.id == id;
  });
}

TEST_CASE("fleet: equal agents match, and what one does not tell fits everything") {
  Fleet fleet = two_agents();
  CHECK(mismatches(fleet, {true, "8.1"}).empty());
  fleet.agents[1] = agent("npu-b", "");
  fleet.agents[1].driver_version.clear();
  fleet.devices[1].chip.clear();
  CHECK(mismatches(fleet, {true, "8.1"}).empty());
  CHECK(mismatches(fleet, {true, ""}).empty());
}

TEST_CASE("fleet: another CANN than the build machine's is refused, offline only") {
  const Fleet fleet = two_agents();
  CHECK(refuses(fleet, {true, "8.2"}, "match.cann"));
  CHECK(mismatches(fleet, {false, "8.2"}).empty());
  const std::string text = mismatches(fleet, {true, "8.2"}).front().what.text;
  CHECK(text.find("8.1 (npu-a, npu-b), 8.2 (this machine)") != std::string::npos);
}

TEST_CASE("fleet: different CANNs among agents are refused where they share rounds") {
  Fleet fleet = two_agents();
  fleet.agents[1].cann_version = "8.2";
  CHECK(refuses(fleet, {}, "match.cann"));
  fleet.spread = Spread::replicate;
  CHECK(warns(fleet, {}, "match.cann"));
  CHECK(refuses(fleet, {true, ""}, "match.cann"));
}

TEST_CASE("fleet: different chips are compared in replicate only, and one OM fits one kind") {
  Fleet fleet = two_agents();
  fleet.devices[1].chip = "Ascend910B3";
  CHECK(refuses(fleet, {}, "match.share_needs_one_kind"));
  CHECK(refuses(fleet, {true, ""}, "match.om_for_one_chip"));
  fleet.spread = Spread::replicate;
  CHECK(mismatches(fleet, {}).empty());
  CHECK(refuses(fleet, {true, ""}, "match.om_for_one_chip"));
}

TEST_CASE("fleet: drivers that differ are worth knowing, machines that differ do not share") {
  Fleet fleet = two_agents();
  fleet.agents[1].driver_version = "25.0";
  CHECK(warns(fleet, {}, "match.driver"));
  fleet.agents[1].architecture = "x86_64";
  CHECK(refuses(fleet, {}, "match.architecture"));
  fleet.spread = Spread::replicate;
  CHECK(warns(fleet, {}, "match.architecture"));
}

TEST_CASE("fleet: two agents of one boot must not offer one device") {
  Fleet fleet = two_agents();
  fleet.agents[1].boot_id = fleet.agents[0].boot_id;
  CHECK(refuses(fleet, {}, "match.device_twice"));
  fleet.devices[1].ids = {1};
  CHECK(mismatches(fleet, {}).empty());
  fleet.devices[1].ids = {};
  CHECK(refuses(fleet, {}, "match.device_twice"));
}

TEST_CASE("fleet: an OM whose name tells another processor is not for that agent") {
  const AgentRecord where = agent("npu-a");
  CHECK_FALSE(om_mismatch("model_cv.om", where).has_value());
  CHECK_FALSE(om_mismatch("model_cv_linux_aarch64.om", where).has_value());
  const auto other = om_mismatch("model_cv_linux_x86_64.om", where);
  REQUIRE(other.has_value());
  CHECK(other->text.find("x86_64") != std::string::npos);
  CHECK_FALSE(om_mismatch("model_cv_linux_x86_64.om", AgentRecord{}).has_value());
  for (const char* same : {"model_cv_euleros_aarch64.om", "model_cv_Linux_AArch64.om",
                           "model_cv_euleros_arm64.om", "model_LoadBalance4.om"}) {
    CHECK_FALSE(om_mismatch(same, where).has_value());
  }
  for (const char* other_one : {"model_cv_euleros_x86_64.om", "model_cv_Linux_X86_64.om",
                                "model_cv_centos_amd64.om", "model_cv_linux_riscv64.om"}) {
    CHECK(om_mismatch(other_one, where).has_value());
  }
}

TEST_CASE("fleet: a device's title tells where it is") {
  Fleet fleet = two_agents();
  CHECK(title(fleet, fleet.devices[1]) == "device 1 (npu-b, device 0, Ascend910B2)");
  CHECK(title(fleet, device(2, 0, {2, 3}, "")) == "device 2 (npu-a, devices 2+3)");
}

TEST_CASE("fleet: what is not as it was when the run was begun is named") {
  const Fleet before = two_agents();
  CHECK(changes(before, before).empty());
  Fleet now = before;
  now.agents[1].cann_version = "8.2";
  REQUIRE(changes(before, now).size() == 1);
  CHECK(changes(before, now).front().refusal);
  CHECK(changes(before, now).front().what.text.find("npu-b: CANN was 8.1") != std::string::npos);
  now = before;
  now.devices[0].chip = "Ascend910B4";
  CHECK(changes(before, now).front().refusal);
  now.agents[0].driver_version = "26.0";
  CHECK_FALSE(changes(before, now).front().refusal);  // worth knowing
  now = before;
  now.agents[0].cann_version.clear();  // not told
  now.agents.push_back(agent("npu-c", "9.0"));
  now.devices.push_back({2, 2, {0}, "Ascend310P", {}});
  CHECK(changes(before, now).empty());
}

}  // namespace
}  // namespace mstune::coordinator
