// Names of options, and types of the graph engine's API.
#pragma once

#include "external/ge_common/ge_common_api_types.h"
#include "graph/tensor.h"
#include "graph/types.h"
