// How long a step takes on the modelled device: cube and vector cores, streams that run their
// nodes in order, events between streams. Pure.
#pragma once

#include "tests/standin/common/graph_def.h"
#include "tests/standin/common/op_table.h"
#include "tests/standin/common/stream_plan.h"

namespace standin {

struct DeviceSpec {
  int cube_cores = kCubeCores;
  int vector_cores = kVectorCores;
  double launch_us = 3;  // between two nodes of a stream
  double event_us = 10;  // a wait costs the waiting stream this much after the sender is done
};

// Microseconds from the start of the first node to the end of the last. Shapes must be known. A
// node waits until its stream is free, its senders are done and its cores are free; of several
// that wait for cores the lowest stream goes first.
double makespan_us(const GraphDef& graph, const StreamPlan& plan, const DeviceSpec& device);

}  // namespace standin
