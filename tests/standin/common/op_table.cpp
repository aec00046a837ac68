#include "tests/standin/common/op_table.h"

#include <algorithm>

#include "tests/standin/common/ge_error.h"

namespace standin {
namespace {

// Elements that one vector core handles in a microsecond, and those worth a core of their own.
constexpr double kVectorElementsPerUs = 128;
constexpr std::int64_t kVectorTile = 16384;
// Multiplications that one cube core does in a microsecond, and the side of its tile.
constexpr double kCubeProductsPerUs = 32768;
constexpr std::int64_t kCubeTile = 128;
constexpr double kOpFloorUs = 2;

const std::vector<OpKind>& table() {
  static const std::vector<OpKind> kinds{
      {"Data", Engine::none, {"x"}, 0},
      {"Const", Engine::none, {}, 0},
      {"Constant", Engine::none, {}, 0},
      {"Relu", Engine::vector, {"x"}, 1},
      {"Abs", Engine::vector, {"x"}, 1},
      {"Neg", Engine::vector, {"x"}, 1},
      {"Square", Engine::vector, {"x"}, 1},
      {"Sqrt", Engine::vector, {"x"}, 1.5},
      {"Exp", Engine::vector, {"x"}, 2},
      {"Sigmoid", Engine::vector, {"x"}, 2.5},
      {"Tanh", Engine::vector, {"x"}, 2.5},
      {"Gelu", Engine::vector, {"x"}, 3},
      {"SoftmaxV2", Engine::vector, {"x"}, 3},
      {"Add", Engine::vector, {"x1", "x2"}, 1},
      {"Sub", Engine::vector, {"x1", "x2"}, 1},
      {"Mul", Engine::vector, {"x1", "x2"}, 1},
      {"Maximum", Engine::vector, {"x1", "x2"}, 1},
      {"AddN", Engine::vector, {"x*"}, 1},
      {"MatMul", Engine::cube, {"x1", "x2"}, 1},
      {"Unique", Engine::aicpu, {"x"}, 4},
  };
  return kinds;
}

[[noreturn]] void refuse(const Node& node, const std::string& why) {
  throw GeError("EZ9999", "Node " + node.name + " of type " + node.type + ": " + why + ".");
}

std::int64_t broadcast(const Node& node, std::int64_t a, std::int64_t b) {
  if (a == b || b == 1) {
    return a;
  }
  if (a == 1) {
    return b;
  }
  if (a == -1 || b == -1) {
    return -1;
  }
  refuse(node, "dimensions " + std::to_string(a) + " and " + std::to_string(b) + " do not fit");
}

Dims broadcast_shape(const Node& node, Dims a, Dims b) {
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  for (std::size_t i = 0; i < rank; ++i) {
    a[i] = broadcast(node, a[i], b[i]);
  }
  return a;
}

Dims product_shape(const Node& node, const Dims& a, const Dims& b) {
  if (a.size() != 2 || b.size() != 2) {
    refuse(node, "a product takes two matrices");
  }
  if (a[1] != b[0] && a[1] != -1 && b[0] != -1) {
    refuse(node,
           "columns " + std::to_string(a[1]) + " and rows " + std::to_string(b[0]) + " do not fit");
  }
  return {a[0], b[1]};
}

void check_inputs(const Node& node, const OpKind& kind) {
  const bool repeats = !kind.inputs.empty() && kind.inputs.back().back() == '*';
  const bool fits = repeats ? !node.inputs.empty() : node.inputs.size() == kind.inputs.size();
  if (!fits) {
    refuse(node, "takes " + std::to_string(kind.inputs.size()) + " inputs, not " +
                     std::to_string(node.inputs.size()));
  }
}

int blocks_for(std::int64_t tiles, int cores) {
  return static_cast<int>(std::clamp<std::int64_t>(tiles, 1, cores));
}

std::int64_t tiles_of(std::int64_t size, std::int64_t tile) {
  return (size + tile - 1) / tile;
}

}  // namespace

const OpKind* find_op(std::string_view type) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const OpKind& kind) { return kind.type == type; });
  return found == table().end() ? nullptr : &*found;
}

void infer_shapes(GraphDef& graph) {
  for (Node& node : graph.nodes) {
    const OpKind* kind = find_op(node.type);
    if (kind == nullptr) {
      refuse(node, "no such operator is registered");
    }
    if (kind->engine == Engine::none) {
      continue;
    }
    check_inputs(node, *kind);
    if (node.engine == Engine::none) {
      node.engine = kind->engine;
    }
    const Node& first = graph.nodes[node.inputs.front()];
    node.data_type = first.data_type;
    node.shape = first.shape;
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      const Dims& other = graph.nodes[node.inputs[i]].shape;
      node.shape = kind->type == "MatMul" ? product_shape(node, node.shape, other)
                                          : broadcast_shape(node, node.shape, other);
    }
  }
}

Cost cost_of(const GraphDef& graph, const Node& node) {
  if (node.engine == Engine::none) {
    return {};
  }
  const OpKind& kind = *find_op(node.type);
  const std::int64_t elements = std::max<std::int64_t>(element_count(node.shape), 1);
  Cost cost;
  if (kind.type == "MatMul") {
    const Dims& left = graph.nodes[node.inputs[0]].shape;
    const std::int64_t tiles =
        tiles_of(node.shape[0], kCubeTile) * tiles_of(node.shape[1], kCubeTile);
    cost.blocks = blocks_for(tiles, kCubeCores);
    cost.us = static_cast<double>(elements * std::max<std::int64_t>(left[1], 1)) /
              (kCubeProductsPerUs * cost.blocks);
  } else {
    cost.blocks = node.engine == Engine::aicpu
                      ? 1
                      : blocks_for(tiles_of(elements, kVectorTile), kVectorCores);
    cost.us = kind.work * static_cast<double>(elements) / (kVectorElementsPerUs * cost.blocks);
  }
  cost.us += kOpFloorUs;
  if (node.blocks > 0) {
    cost.blocks = std::min(node.blocks, node.engine == Engine::cube ? kCubeCores : kVectorCores);
  }
  if (node.cost_us > 0) {
    cost.us = node.cost_us;
  }
  return cost;
}

}  // namespace standin
