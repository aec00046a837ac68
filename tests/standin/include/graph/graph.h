// A graph: what a program builds, a custom pass sees, and a session compiles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/operator.h"

namespace ge {

class AttrValue;
class Graph;
class GraphImpl;
using GraphImplPtr = std::shared_ptr<GraphImpl>;
using GraphPtr = std::shared_ptr<Graph>;
using ConstGraphPtr = std::shared_ptr<const Graph>;

class Graph {
 public:
  explicit Graph(const std::string& name);
  explicit Graph(const char_t* name);
  Graph() = default;
  ~Graph() = default;

  Graph& SetInputs(const std::vector<Operator>& inputs);
  Graph& SetOutputs(const std::vector<Operator>& outputs);
  bool IsValid() const;
  graphStatus GetName(AscendString& name) const;

  graphStatus SetAttr(const AscendString& name, const AttrValue& attr_value);
  graphStatus GetAttr(const AscendString& name, AttrValue& attr_value) const;

 private:
  friend class GraphAccess;
  GraphImplPtr impl_{nullptr};
};

}  // namespace ge
