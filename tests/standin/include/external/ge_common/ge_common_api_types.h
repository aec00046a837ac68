// Names of options, and types of the graph engine's API.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

using Status = uint32_t;
using RunAsyncCallback = std::function<void(Status, std::vector<ge::Tensor>&)>;

const char_t* const OPTION_EXEC_DEVICE_ID = "ge.exec.deviceId";
const char_t* const OPTION_GRAPH_RUN_MODE = "ge.graphRunMode";

}  // namespace ge
