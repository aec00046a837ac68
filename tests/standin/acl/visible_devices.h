// ASCEND_RT_VISIBLE_DEVICES: which devices a process sees. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace standin {

// The logic ids that the value names, in their order: index in the result = device id in the
// process. Ids must ascend; reading stops at the first character or id that does not fit. Empty
// when nothing fits: the process then has no device.
std::vector<int> visible_devices(const std::optional<std::string>& value, int device_count);

}  // namespace standin
