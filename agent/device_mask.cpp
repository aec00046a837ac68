#include "agent/device_mask.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "common/error.h"

namespace mstune::agent {
namespace {

bool holds(const std::vector<int>& devices, int device) {
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

}  // namespace

std::optional<std::vector<int>> device_mask(const Environment& environment) {
  const auto variable = environment.find(kMaskVariable);
  if (variable == environment.end()) {
    return std::nullopt;
  }
  std::vector<int> devices;
  const char* at = variable->second.data();
  const char* const end = at + variable->second.size();
  while (at < end) {
    int device = 0;
    const auto [next, failure] = std::from_chars(at, end, device);
    const bool ascends = devices.empty() || device > devices.back();
    if (failure != std::errc{} || device < 0 || !ascends) {
      break;
    }
    devices.push_back(device);
    if (next == end || *next != ',') {
      break;
    }
    at = next + 1;
  }
  return devices;
}

std::vector<int> devices_in_mask(std::vector<int> asked_for, bool find,
                                 const std::vector<int>& there, const Environment& environment) {
  const auto mask = device_mask(environment);
  if (!mask) {
    return find ? there : asked_for;
  }
  const std::string& text = environment.at(kMaskVariable);
  if (find) {
    // Without npu-smi the mask alone says what there is.
    std::vector<int> left = *mask;
    std::erase_if(left, [&](int device) { return !there.empty() && !holds(there, device); });
    if (left.empty()) {
      throw environment_error("agent.mask_leaves_none",
                              "--devices auto: {}={} leaves none of the devices that there are "
                              "({}); set it to ascending ids of those, or unset it",
                              kMaskVariable, text, fmt::format("{}", fmt::join(there, ", ")));
    }
    return left;
  }
  for (const int device : asked_for) {
    if (!holds(*mask, device)) {
      throw usage_error("agent.device_outside_mask",
                        "--devices: device {} is not this agent's: {}={} leaves it only those; "
                        "offer them (--devices auto), or start the agent without the variable",
                        device, kMaskVariable, text);
    }
  }
  return asked_for;
}

}  // namespace mstune::agent
