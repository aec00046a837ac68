// Which agent runs a trial on a device of this machine, so that no two do so at the same time,
// whoever their campaigns are.
//
// Locks of the kernel on one file for each device, beside that of the machine's turn: none that was
// killed keeps one. A trial's lock is held by whoever has the descriptor, and so by its keeper. An
// agent that merely offers a device marks that with a lock of another kind on the same file. Where
// a file cannot be used, nobody waits for anybody.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/os/descriptor.h"

namespace mstune::os {

// "mstune-device-7"
std::filesystem::path device_lock_path(const std::filesystem::path& directory, int device);

// Locks of one trial.
struct DeviceHold {
  std::vector<UniqueFd> locks;
  // Where it could not be taken: who has it, for people; empty where it was.
  std::string held_by;
};

// All of them or none.
DeviceHold hold_devices(const std::filesystem::path& directory, const std::vector<int>& devices);

// The marks of an agent that offers these devices.
struct DeviceOffer {
  std::vector<UniqueFd> marks;
  std::vector<int> shared;  // devices that another agent offers already
};

DeviceOffer offer_devices(const std::filesystem::path& directory, const std::vector<int>& devices);

}  // namespace mstune::os
