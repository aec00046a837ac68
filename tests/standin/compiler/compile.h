// From a graph to a model: passes, mode, shapes, streams, weights. What atc and a session share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/standin/common/graph_def.h"
#include "tests/standin/common/om_file.h"

namespace standin {

struct CompileOptions {
  std::map<std::string, std::string> ge;  // "ge.autoMultistreamParallelMode" and its like
  std::string soc_version;
  std::vector<Dims> gears;  // --dynamic_dims
  WeightPlace weights = WeightPlace::inside;
  std::string om_name;  // names the combined weight file
};

// Throws a GeError.
OmModel compile(GraphDef graph, const CompileOptions& options);

}  // namespace standin
