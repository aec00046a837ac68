// Gives every node of a graph its stream, as the strategy of the mode says.
#pragma once

#include <map>
#include <string>

#include "tests/standin/common/graph_def.h"
#include "tests/standin/common/stream_plan.h"
#include "tests/standin/compiler/mode.h"

namespace standin {

struct AllocationRequest {
  Mode mode;
  bool single_stream = false;                  // ge.enableSingleStream
  bool unknown_shape = false;                  // everything on one stream,
  bool multi_stream_for_unknown = false;       // unless this: ENABLE_DYNAMIC_SHAPE_MULTI_STREAM=1
  std::map<std::string, double> durations_us;  // of nodes, from MINIDAG_PROFILING_PATH
};

// A graph whose nodes match a duration is allocated by WeightedLoadBalance, whichever of the
// three DAG strategies the mode names.
StreamPlan allocate_streams(const GraphDef& graph, const AllocationRequest& request);

// The durations in the op_summary*.csv files of a directory: columns "Op Name" and
// "Task Duration(us)". Empty when there are none.
std::map<std::string, double> read_durations(const std::string& directory);

}  // namespace standin
