#include "agent/device_mask.h"

#include <doctest/doctest.h>

#include "tests/unit/error_id.h"

namespace mstune::agent {
namespace {

using Ids = std::vector<int>;

const Ids kThere{0, 1, 2, 3, 4, 5, 6, 7};

Environment masked(const std::string& mask) {
  return {{kMaskVariable, mask}};
}

TEST_CASE("mask: it is read as the runtime reads it") {
  CHECK_FALSE(device_mask({}).has_value());
  CHECK(device_mask(masked("4,5")) == Ids{4, 5});
  CHECK(device_mask(masked("0")) == Ids{0});
  CHECK(device_mask(masked("4,2")) == Ids{4});
  CHECK(device_mask(masked("1,1")) == Ids{1});
  CHECK(device_mask(masked("1,x,3")) == Ids{1});
  CHECK(device_mask(masked("1;3")) == Ids{1});
  CHECK(device_mask(masked("-1")) == Ids{});
  CHECK(device_mask(masked("")) == Ids{});
}

TEST_CASE("mask: auto offers its devices, under their ids before it") {
  CHECK(devices_in_mask({}, true, kThere, masked("4,5")) == Ids{4, 5});
  CHECK(devices_in_mask({}, true, kThere, masked("6,7,8,9")) == Ids{6, 7});
  CHECK(devices_in_mask({}, true, {}, masked("4,5")) == Ids{4, 5});
  CHECK(devices_in_mask({}, true, kThere, {}) == kThere);
  CHECK(error_id([] { devices_in_mask({}, true, kThere, masked("8")); }) ==
        "agent.mask_leaves_none");
  CHECK(error_id([] { devices_in_mask({}, true, {}, masked("")); }) == "agent.mask_leaves_none");
}

TEST_CASE("mask: a device outside of it is refused, one inside is not") {
  CHECK(devices_in_mask({5}, false, kThere, masked("4,5")) == Ids{5});
  CHECK(devices_in_mask({0, 1}, false, kThere, {}) == Ids{0, 1});
  CHECK(devices_in_mask({}, false, kThere, masked("4,5")).empty());
  CHECK(error_id([] { devices_in_mask({0}, false, kThere, masked("4,5")); }) ==
        "agent.device_outside_mask");
  CHECK(error_id([] {
          devices_in_mask({4, 6}, false, kThere, masked("4,5"));
        }) == "agent.device_outside_mask");
}

}  // namespace
}  // namespace mstune::agent
