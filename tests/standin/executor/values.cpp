#include "tests/standin/executor/values.h"

#include "tests/standin/common/random.h"

namespace standin {

std::vector<std::uint64_t> output_values(const GraphDef& graph,
                                         const std::vector<std::uint64_t>& inputs,
                                         const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint64_t> values(graph.nodes.size(), 0);
  std::size_t next_input = 0;
  std::size_t next_weight = 0;
  for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
    const Node& node = graph.nodes[index];
    if (node.type == "Data") {
      values[index] = inputs.at(next_input++);
    } else if (node.type == "Const") {
      values[index] = weights.at(next_weight++);
    } else {
      std::uint64_t value = fingerprint(node.type);
      for (const std::size_t input : node.inputs) {
        value = fingerprint(&values[input], sizeof values[input], value);
      }
      values[index] = value;
    }
  }
  std::vector<std::uint64_t> outputs;
  for (const std::size_t output : graph.outputs) {
    outputs.push_back(values[output]);
  }
  return outputs;
}

}  // namespace standin
