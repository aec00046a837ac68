// An OM: a header of 256 bytes, a table of partitions, the partitions. In their order: the model
// (the graph as text; its length differs from candidate to candidate), the weights (large, the same
// in all candidates, at an offset that shifts with the model), kernels, tasks (streams and events;
// differ again). The layout follows the real one in shape; the bytes are the stand-in's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/standin/common/graph_def.h"
#include "tests/standin/common/stream_plan.h"

namespace standin {

struct OmModel {
  GraphDef graph;
  StreamPlan plan;
  std::string soc_version;
  bool unknown_shape = false;  // is_unknow_model: runs in the executor for dynamic shapes
  std::string weights;         // the section; empty when all weights are external
};

// Lays the weights out and makes their content. With `external` they are left out of the section,
// and each Const names a file.
enum class WeightPlace { inside, file_each, file_combined };
void place_weights(OmModel& model, WeightPlace place, const std::string& om_name);

// The content of one Const.
std::string weight_content(const Node& node);

std::string write_om(const OmModel& model);

// Throws a GeError when the bytes are not an OM of the stand-in or are cut short.
OmModel read_om(std::string_view bytes);

// Bytes of all weights, inside or outside.
std::uint64_t weight_bytes(const GraphDef& graph);

}  // namespace standin
