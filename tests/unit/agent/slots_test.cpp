#include "agent/slots.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

const TimePoint kStart{std::chrono::hours(1)};

protocol::TrialKey key(const std::string& campaign, std::uint32_t trial) {
  return {campaign, trial, 1, "i"};
}

TEST_CASE("slots: a device belongs to one trial until that is released") {
  Slots slots({2, 5});
  for (std::uint32_t trial = 0; trial < 3; ++trial) {
    slots.wait(key("c", trial), "ann", kStart);
  }
  const auto first = slots.give_out(kStart);
  REQUIRE(first.size() == 2);
  CHECK(first[0].devices == std::vector<int>{2});
  CHECK(first[1].devices == std::vector<int>{5});
  CHECK(slots.give_out(kStart).empty());
  slots.release(first[1].key, false);
  const auto next = slots.give_out(kStart);
  REQUIRE(next.size() == 1);
  CHECK(next[0].devices == std::vector<int>{5});
  CHECK(next[0].key == key("c", 2));
  CHECK(slots.waiting().empty());
}

TEST_CASE("slots: a device whose trial's processes are stuck is used again when they are gone") {
  Slots slots({2});
  slots.wait(key("c", 0), "ann", kStart);
  REQUIRE(slots.give_out(kStart).size() == 1);
  slots.release(key("c", 0), true);
  slots.wait(key("c", 1), "ann", kStart, kNever, {2});
  CHECK(slots.give_out(kStart).empty());
  CHECK(slots.hopeless() == std::vector{key("c", 1)});
  CHECK(slots.conditions(kStart).front().state == protocol::DeviceState::unusable);

  slots.recover(key("c", 1));  // of another trial
  CHECK(slots.give_out(kStart).empty());
  slots.recover(key("c", 0));
  CHECK(slots.hopeless().empty());
  CHECK(slots.conditions(kStart).front().state == protocol::DeviceState::free);
  CHECK(slots.give_out(kStart).size() == 1);
}

TEST_CASE("slots: without devices there is one slot, and no device is named") {
  Slots slots({});
  slots.wait(key("c", 0), "", kStart);
  slots.wait(key("c", 1), "", kStart);
  const auto grants = slots.give_out(kStart);
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].devices.empty());
}

TEST_CASE("slots: who sends many trials does not keep the others waiting for all of them") {
  Slots slots({});
  for (std::uint32_t trial = 0; trial < 100; ++trial) {
    slots.wait(key("a", trial), "ann", kStart);
  }
  slots.wait(key("b", 0), "bob", kStart);
  slots.wait(key("b", 1), "bob", kStart);
  std::string order;
  for (int turn = 0; turn < 6; ++turn) {
    const auto grants = slots.give_out(kStart);
    REQUIRE(grants.size() == 1);
    order += grants[0].key.campaign;
    slots.release(grants[0].key, false);
  }
  CHECK(order == "ababaa");
}

TEST_CASE("slots: campaigns take turns where clients have no names, and stay nameless") {
  Slots slots({});
  slots.wait(key("a", 0), "", kStart);
  slots.wait(key("a", 1), "", kStart);
  slots.wait(key("b", 0), "", kStart);
  const auto first = slots.give_out(kStart);
  CHECK(slots.holders() == "a client without a key");
  slots.release(first[0].key, false);
  CHECK(slots.give_out(kStart)[0].key == key("b", 0));
}

TEST_CASE("slots: who waits hears of others who have what it waits for, and not of itself") {
  Slots slots({0, 1});
  slots.wait(key("a", 0), "ann", kStart, kNever, {0});
  slots.wait(key("b", 0), "bob", kStart, kNever, {1});
  REQUIRE(slots.give_out(kStart).size() == 2);
  slots.wait(key("a", 1), "ann", kStart, kNever, {0});
  slots.wait(key("a", 2), "ann", kStart, kNever, {1});
  slots.wait(key("a", 3), "ann", kStart);
  slots.wait(key("c", 0), "ann", kStart, kNever, {0, 1});
  CHECK(slots.others_before(key("a", 1)).empty());
  CHECK(slots.others_before(key("a", 2)) == "bob");
  CHECK(slots.others_before(key("a", 3)) == "bob");
  CHECK(slots.others_before(key("c", 0)) == "ann, bob");  // another campaign of the same client
  CHECK(slots.others_before(key("d", 0)).empty());        // that does not wait
}

TEST_CASE("slots: what cannot be killed keeps its device from everybody") {
  Slots slots({0});
  slots.wait(key("a", 0), "ann", kStart);
  slots.give_out(kStart);
  slots.release(key("a", 0), true);
  slots.wait(key("a", 1), "ann", kStart);
  CHECK(slots.give_out(kStart).empty());
  CHECK(slots.conditions(kStart)[0].state == protocol::DeviceState::unusable);
}

TEST_CASE("slots: it is told who holds a device, and for how long") {
  Slots slots({0, 1});
  CHECK(slots.holders().empty());
  slots.wait(key("a", 0), "ann", kStart);
  slots.give_out(kStart);
  const auto conditions = slots.conditions(kStart + std::chrono::milliseconds(61500));
  REQUIRE(conditions.size() == 2);
  CHECK(conditions[0].state == protocol::DeviceState::busy);
  CHECK(conditions[0].holder == "ann");
  CHECK(conditions[0].held_for_s == 61);
  CHECK(conditions[1].state == protocol::DeviceState::free);
  CHECK(conditions[1].holder.empty());
  CHECK(conditions[1].device == 1);
}

}  // namespace
}  // namespace mstune::agent
