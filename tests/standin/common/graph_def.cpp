#include "tests/standin/common/graph_def.h"

#include <algorithm>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/op_table.h"

namespace standin {

bool has_unknown_shape(const GraphDef& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return std::find(node.shape.begin(), node.shape.end(), -1) != node.shape.end();
  });
}

std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 0) {
      return -1;
    }
    count *= dim;
  }
  return count;
}

std::size_t element_bytes(int data_type) {
  switch (data_type) {
    case 2:   // int8
    case 4:   // uint8
    case 12:  // bool
      return 1;
    case 1:   // float16
    case 6:   // int16
    case 7:   // uint16
    case 27:  // bf16
      return 2;
    case 0:  // float
    case 3:  // int32
    case 8:  // uint32
      return 4;
    case 9:   // int64
    case 10:  // uint64
    case 11:  // double
      return 8;
    default:
      return 0;
  }
}

std::size_t value_bytes(const Node& node) {
  const std::int64_t count = element_count(node.shape);
  return count < 0 ? 0 : static_cast<std::size_t>(count) * element_bytes(node.data_type);
}

GraphDef with_dims(GraphDef graph, const Dims& values) {
  std::size_t used = 0;
  for (Node& node : graph.nodes) {
    if (node.type != "Data") {
      continue;
    }
    for (std::int64_t& dim : node.shape) {
      if (dim == -1 && used < values.size()) {
        dim = values[used++];
      }
    }
  }
  if (used != values.size() || values.empty()) {
    throw GeError("E10045",
                  "The number of dynamic dims does not match the unknown dimensions of "
                  "the inputs of graph " +
                      graph.name + ".");
  }
  infer_shapes(graph);
  return graph;
}

}  // namespace standin
