// What stands behind the handles of the graph library, for the other libraries of the toolkit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <graph/attr_value.h>
#include <graph/graph.h>

#include "tests/standin/common/graph_def.h"

namespace ge {

class AttrValueImpl {
 public:
  std::variant<std::monostate, std::string, std::int64_t, bool> value;
};

class OperatorImpl {
 public:
  struct Input {
    std::string name;
    std::shared_ptr<OperatorImpl> source;
  };
  std::string name;
  std::string type;
  std::vector<Input> inputs;
  std::map<std::string, TensorDesc> outputs;
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::int64_t> numbers;
};

class GraphImpl {
 public:
  std::string name;
  std::vector<Operator> inputs;
  std::vector<Operator> outputs;
  std::map<std::string, AttrValue> attributes;
};

class OperatorAccess {
 public:
  static std::shared_ptr<OperatorImpl> impl(const Operator& op) { return op.operator_impl_; }
};

class GraphAccess {
 public:
  static GraphImplPtr impl(const Graph& graph) { return graph.impl_; }
};

}  // namespace ge

namespace standin {

// The text attributes of a graph, by name.
std::map<std::string, std::string> text_attributes(const ge::Graph& graph);

// A graph as the compiler wants it: every operator that an output needs, its inputs first. Throws a
// GeError that names an operator whose input is missing.
GraphDef to_graph_def(const ge::Graph& graph);

}  // namespace standin
