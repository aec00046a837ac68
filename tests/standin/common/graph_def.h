// The stand-in's own form of a graph: what the text format, the public graph API and an OM are
// turned into, and what the compiler and the executor work on. Data only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace standin {

// `none`: costs nothing and runs nowhere (inputs, constants).
enum class Engine { none, cube, vector, aicpu };

using Dims = std::vector<std::int64_t>;

struct Weight {
  std::uint64_t seed = 0;           // the content follows from seed and size
  std::uint64_t offset = 0;         // in the weights section of an OM
  std::string file;                 // with --external_weight: the name below weight/
  std::vector<unsigned char> data;  // literal content, where a program gave some
};

struct Node {
  std::string name;
  std::string type;                 // "Data", "Const", or an operator of op_table.h
  std::vector<std::size_t> inputs;  // indices of earlier nodes
  int data_type = 0;                // ge::DataType
  Dims shape;                       // -1: unknown until a step runs
  double cost_us = 0;               // device time with `blocks` cores; 0: op_table.h decides
  int blocks = 0;                   // cores that it occupies; 0: op_table.h decides
  Engine engine = Engine::none;
  std::string stream_label;
  Weight weight;  // of a Const
};

// Nodes stand in an order in which every input comes before its users.
struct GraphDef {
  std::string name;
  std::vector<Node> nodes;
  std::vector<std::size_t> outputs;
  std::map<std::string, std::string> attributes;  // of the root graph
  std::vector<Dims> gears;  // --dynamic_dims: values for the unknown dimensions, in their order
};

inline constexpr const char* kModeAttribute = "ge.autoMultistreamParallelMode";
inline constexpr const char* kTuningAttribute = "_auto_multistream_tuning_mode";

bool has_unknown_shape(const GraphDef& graph);

// Elements of a shape; -1 when a dimension is unknown.
std::int64_t element_count(const Dims& shape);

// Bytes of one element of a ge::DataType; 0 for a type that has none.
std::size_t element_bytes(int data_type);

// Bytes of the node's value; 0 when its shape is unknown.
std::size_t value_bytes(const Node& node);

// Puts `values` into the unknown dimensions of the inputs, in their order, and forgets the derived
// shapes. Throws a GeError when the number of values does not fit.
GraphDef with_dims(GraphDef graph, const Dims& values);

}  // namespace standin
