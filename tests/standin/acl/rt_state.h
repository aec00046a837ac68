// What the runtime part of the C API keeps for the process, and gives to its model part.
#pragma once

#include <cstdint>
#include <string>

#include <acl/acl_rt.h>

#include "tests/standin/executor/timeline.h"

namespace standin {

bool rt_initialized();

// The logic id of the device that is set in this thread; -1 when none is.
int rt_current_device();

// Takes or gives back device memory. 0, or 207018 when the device has no more.
aclError rt_take_memory(std::uint64_t bytes);
void rt_give_memory(std::uint64_t bytes);

// Notes an error for aclGetRecentErrMsg and the log, and returns its code.
aclError rt_fail(aclError code, const std::string& text);

// Null for the default stream.
Timeline* rt_timeline(aclrtStream stream);

}  // namespace standin
