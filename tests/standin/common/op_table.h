// What the stand-in knows about operators: the names of their inputs, the shape of their output,
// the engine that runs them, and what they cost on the modelled device. The figures are invented:
// they give a device of the size of an Ascend 910B (20 cube and 40 vector cores) whose small
// graphs take milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/standin/common/graph_def.h"

namespace standin {

inline constexpr int kCubeCores = 20;
inline constexpr int kVectorCores = 40;

struct OpKind {
  std::string_view type;
  Engine engine = Engine::none;
  std::vector<std::string_view> inputs;  // names in their order; a name that ends in '*' repeats
  double work = 1;                       // relative cost of an element or a multiplication
};

// Null for an unknown type.
const OpKind* find_op(std::string_view type);

// Fills in the shape, element type and engine of every node from its inputs. Throws a GeError that
// names the node when its type is unknown or its inputs do not fit.
void infer_shapes(GraphDef& graph);

struct Cost {
  double us = 0;
  int blocks = 0;
};

// Device time and cores of one node with known shapes; {0, 0} for what runs nowhere.
Cost cost_of(const GraphDef& graph, const Node& node);

}  // namespace standin
