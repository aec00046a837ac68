#include "agent/slot.h"

namespace mstune::agent {

protocol::DeviceCondition condition_of(const Slot& slot, TimePoint now) {
  protocol::DeviceCondition device;
  device.device = slot.device.value_or(device.device);
  device.state = protocol::kDeviceFree;
  if (slot.holder) {
    device.state = protocol::kDeviceBusy;
    device.campaign = slot.holder->campaign;
    device.trial = slot.holder->trial;
    device.held_for_s = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(now - slot.held_since).count());
  }
  if (slot.unusable) {
    device.state = protocol::kDeviceUnusable;
  }
  return device;
}

}  // namespace mstune::agent
