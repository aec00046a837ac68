// Loads custom passes as GE does, and runs them.
#pragma once

#include <map>
#include <string>

#include <graph/graph.h>

namespace standin {

// Loads $ASCEND_OPP_PATH/vendors/*/custom_fusion_passes/*.so, once a process, both levels in the
// order of strcoll, a custom_fusion_passes that is a link passed over, and registers their passes
// in that order. Throws a GeError E13029 when one cannot be loaded.
void load_passes();

// Unloads what load_passes loaded.
void unload_passes();

// Runs the passes of the stage before shapes are inferred, in the order of their registration.
// Throws a GeError E13028 when one returns something other than success.
void run_passes(const ge::GraphPtr& graph, const std::map<std::string, std::string>& options);

}  // namespace standin
