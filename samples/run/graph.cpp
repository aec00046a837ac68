#include "samples/run/graph.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <graph/operator.h>
#include <graph/operator_factory.h>
#include <graph/types.h>

namespace samples {
namespace {

// Each branch differs, so that none can be folded into another.
const std::vector<std::vector<const char*>>& branches() {
  static const std::vector<std::vector<const char*>> types{
      {"Relu", "Square", "Sqrt", "Sigmoid", "Tanh", "Abs", "Exp", "Neg"},
      {"Abs", "Sqrt", "Exp", "Tanh", "Relu", "Square", "Sigmoid", "Neg"},
      {"Sigmoid", "Tanh", "Square", "Abs", "Sqrt", "Neg", "Relu", "Exp"},
      {"Tanh", "Abs", "Relu", "Exp", "Neg", "Sigmoid", "Square", "Sqrt"},
  };
  return types;
}

ge::Operator make(const std::string& name, const char* type) {
  ge::Operator op = ge::OperatorFactory::CreateOperator(name.c_str(), type);
  if (op.IsEmpty()) {
    throw std::runtime_error(std::string("GE knows no operator of type ") + type);
  }
  return op;
}

}  // namespace

ge::TensorDesc square_matrix(std::int64_t dim) {
  return ge::TensorDesc(ge::Shape({dim, dim}), ge::FORMAT_ND, ge::DT_FLOAT);
}

ge::Graph four_branches(std::int64_t dim) {
  ge::Operator input = make("input", "Data");
  input.SetAttr("index", static_cast<std::int64_t>(0));
  input.UpdateInputDesc("x", square_matrix(dim));
  input.UpdateOutputDesc("y", square_matrix(dim));

  std::vector<ge::Operator> outputs;
  for (std::size_t branch = 0; branch < branches().size(); ++branch) {
    ge::Operator last = input;
    int position = 0;
    for (const char* type : branches()[branch]) {
      ge::Operator op =
          make("branch" + std::to_string(branch) + "_" + std::to_string(position++), type);
      op.SetInput("x", last);
      last = op;
    }
    outputs.push_back(last);
  }
  ge::Graph graph("four_branches");
  graph.SetInputs({input}).SetOutputs(outputs);
  return graph;
}

}  // namespace samples
