// The devices that ASCEND_RT_VISIBLE_DEVICES leaves to this agent: Slurm, Kubernetes' device plugin
// or a colleague's shell gave it to say which ones are ours. Pure.
//
// Ids are those before the mask, as npu-smi prints them.
#pragma once

#include <optional>
#include <vector>

#include "agent/environment.h"

namespace mstune::agent {

inline constexpr const char* kMaskVariable = "ASCEND_RT_VISIBLE_DEVICES";

// Its logic ids, as the runtime reads them: ascending, up to the first that is none. Nothing where
// there is no mask; empty where it leaves no device.
std::optional<std::vector<int>> device_mask(const Environment& environment);

// What an agent offers that was asked for these devices, or for all (`find`) of those that npu-smi
// knows, of which there are none where it knows nothing. Throws a usage error for one that is not
// in the mask, and an environment error where the mask leaves none of those that there are.
std::vector<int> devices_in_mask(std::vector<int> asked_for, bool find,
                                 const std::vector<int>& there, const Environment& environment);

}  // namespace mstune::agent
