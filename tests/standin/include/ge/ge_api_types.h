// Names of options, and types of the graph engine's API.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ge/ge_api_error_codes.h"
#include "graph/tensor.h"

namespace ge {

using RunAsyncCallback = std::function<void(Status, std::vector<ge::Tensor>&)>;

const char_t* const OPTION_EXEC_DEVICE_ID = "ge.exec.deviceId";
const char_t* const OPTION_GRAPH_RUN_MODE = "ge.graphRunMode";
const char_t* const SOC_VERSION = "ge.socVersion";
const char_t* const ENABLE_SINGLE_STREAM = "ge.enableSingleStream";

}  // namespace ge
