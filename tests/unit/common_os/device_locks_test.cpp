#include "common/os/device_locks.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

TEST_CASE("device locks: a device is one trial's, and all of a trial's or none") {
  const Scratch scratch;
  DeviceHold first = hold_devices(scratch.path(), {1, 2});
  CHECK(first.held_by.empty());
  CHECK(first.locks.size() == 2);
  const DeviceHold second = hold_devices(scratch.path(), {2, 3});
  CHECK(second.locks.empty());
  CHECK(second.held_by.find("process " + std::to_string(::getpid())) != std::string::npos);
  // 3 was not kept.
  CHECK(hold_devices(scratch.path(), {3}).held_by.empty());
  first.locks.clear();
  CHECK(hold_devices(scratch.path(), {2, 3}).held_by.empty());
}

TEST_CASE("device locks: whoever has a copy of the descriptor holds it") {
  const Scratch scratch;
  DeviceHold hold = hold_devices(scratch.path(), {0});
  UniqueFd copy(::dup(hold.locks.front().value()));
  hold.locks.clear();
  CHECK_FALSE(hold_devices(scratch.path(), {0}).held_by.empty());
  copy.reset();
  CHECK(hold_devices(scratch.path(), {0}).held_by.empty());
}

TEST_CASE("device locks: who offers what another offers is told, and can still hold it") {
  const Scratch scratch;
  const DeviceOffer first = offer_devices(scratch.path(), {0, 1});
  CHECK(first.shared.empty());
  const DeviceOffer second = offer_devices(scratch.path(), {1, 2});
  CHECK(second.shared == std::vector<int>{1});
  CHECK(hold_devices(scratch.path(), {1}).held_by.empty());
}

TEST_CASE("device locks: where the file cannot be used nobody waits") {
  const std::filesystem::path nowhere = "/nowhere/at/all";
  const DeviceHold hold = hold_devices(nowhere, {0});
  CHECK(hold.held_by.empty());
  CHECK(hold.locks.empty());
  CHECK(offer_devices(nowhere, {0}).shared.empty());
}

}  // namespace
}  // namespace mstune::os
