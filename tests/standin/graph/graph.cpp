#include <unordered_map>

#include <graph/graph.h>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/op_table.h"
#include "tests/standin/graph/graph_impl.h"

namespace ge {

Graph::Graph(const char_t* name) : impl_(std::make_shared<GraphImpl>()) {
  impl_->name = name == nullptr ? "" : name;
}
Graph::Graph(const std::string& name) : Graph(name.c_str()) {}

Graph& Graph::SetInputs(const std::vector<Operator>& inputs) {
  if (impl_ != nullptr) {
    impl_->inputs = inputs;
  }
  return *this;
}

Graph& Graph::SetOutputs(const std::vector<Operator>& outputs) {
  if (impl_ != nullptr) {
    impl_->outputs = outputs;
  }
  return *this;
}

bool Graph::IsValid() const {
  return impl_ != nullptr && !impl_->outputs.empty();
}

graphStatus Graph::GetName(AscendString& name) const {
  if (impl_ == nullptr) {
    return GRAPH_FAILED;
  }
  name = AscendString(impl_->name.c_str());
  return GRAPH_SUCCESS;
}

graphStatus Graph::SetAttr(const AscendString& name, const AttrValue& attr_value) {
  if (impl_ == nullptr) {
    return GRAPH_FAILED;
  }
  impl_->attributes[name.GetString()] = attr_value;
  return GRAPH_SUCCESS;
}

graphStatus Graph::GetAttr(const AscendString& name, AttrValue& attr_value) const {
  if (impl_ == nullptr || impl_->attributes.count(name.GetString()) == 0) {
    return GRAPH_FAILED;
  }
  attr_value = impl_->attributes.at(name.GetString());
  return GRAPH_SUCCESS;
}

AttrValue::AttrValue() : impl(std::make_shared<AttrValueImpl>()) {}

graphStatus AttrValue::SetAttrValue(const AscendString& attr_value) const {
  impl->value = std::string(attr_value.GetString(), attr_value.GetLength());
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::SetAttrValue(const int64_t& attr_value) const {
  impl->value = attr_value;
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::SetAttrValue(const bool& attr_value) const {
  impl->value = attr_value;
  return GRAPH_SUCCESS;
}

graphStatus AttrValue::GetAttrValue(AscendString& attr_value) const {
  const auto* text = std::get_if<std::string>(&impl->value);
  if (text == nullptr) {
    return GRAPH_FAILED;
  }
  attr_value = AscendString(text->data(), text->size());
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::GetAttrValue(int64_t& attr_value) const {
  const auto* number = std::get_if<int64_t>(&impl->value);
  if (number == nullptr) {
    return GRAPH_FAILED;
  }
  attr_value = *number;
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::GetAttrValue(bool& attr_value) const {
  const auto* truth = std::get_if<bool>(&impl->value);
  if (truth == nullptr) {
    return GRAPH_FAILED;
  }
  attr_value = *truth;
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace standin {
namespace {

using ge::OperatorImpl;

class Converter {
 public:
  explicit Converter(GraphDef& graph) : graph_(graph) {}

  std::size_t add(const std::shared_ptr<OperatorImpl>& op) {
    const auto known = index_.find(op.get());
    if (known != index_.end()) {
      return known->second;
    }
    Node node;
    node.name = op->name;
    node.type = op->type == "Constant" ? "Const" : op->type;
    if (node.type == "Data" || node.type == "Const") {
      read_value(*op, node);
    } else {
      add_inputs(*op, node);
    }
    graph_.nodes.push_back(std::move(node));
    return index_[op.get()] = graph_.nodes.size() - 1;
  }

 private:
  void add_inputs(const OperatorImpl& op, Node& node) {
    const OpKind* kind = find_op(op.type);
    const bool repeats = kind != nullptr && kind->inputs.back().back() == '*';
    const std::size_t wanted = kind == nullptr ? 0 : kind->inputs.size();
    if (op.inputs.empty() || (!repeats && op.inputs.size() != wanted)) {
      throw GeError("E10001", "Operator " + op.name + " of type " + op.type + " lacks an input.");
    }
    // Inputs were set by name, in any order; the table has theirs.
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      for (const OperatorImpl::Input& input : op.inputs) {
        if (repeats ? &input == &op.inputs[i] : input.name == kind->inputs[i]) {
          node.inputs.push_back(add(input.source));
        }
      }
    }
  }

  static void read_value(const OperatorImpl& op, Node& node) {
    const auto tensor = op.tensors.find("value");
    const auto output = op.outputs.find("y");
    ge::TensorDesc desc;
    if (tensor != op.tensors.end()) {
      desc = tensor->second.GetTensorDesc();
      node.weight.data.assign(tensor->second.GetData(),
                              tensor->second.GetData() + tensor->second.GetSize());
    } else if (output != op.outputs.end()) {
      desc = output->second;
    } else {
      throw GeError("E10001", "Operator " + op.name + " of type " + op.type +
                                  " has neither a value nor a description of its output y.");
    }
    node.shape = desc.GetShape().GetDims();
    if (node.shape.empty()) {
      node.shape = {1};
    }
    node.data_type = desc.GetDataType();
  }

  GraphDef& graph_;
  std::unordered_map<const OperatorImpl*, std::size_t> index_;
};

}  // namespace

std::map<std::string, std::string> text_attributes(const ge::Graph& graph) {
  std::map<std::string, std::string> attributes;
  for (const auto& [name, value] : ge::GraphAccess::impl(graph)->attributes) {
    if (const auto* text = std::get_if<std::string>(&value.impl->value)) {
      attributes[name] = *text;
    }
  }
  return attributes;
}

GraphDef to_graph_def(const ge::Graph& graph) {
  const auto impl = ge::GraphAccess::impl(graph);
  if (!graph.IsValid()) {
    throw GeError("E10001", "The graph has no output.");
  }
  GraphDef result;
  result.name = impl->name;
  Converter converter(result);
  for (const auto* operators : {&impl->inputs, &impl->outputs}) {
    for (const ge::Operator& op : *operators) {
      if (op.IsEmpty()) {
        throw GeError("E10001", "Graph " + impl->name + " has an empty operator.");
      }
      const std::size_t index = converter.add(ge::OperatorAccess::impl(op));
      if (operators == &impl->outputs) {
        result.outputs.push_back(index);
      }
    }
  }
  return result;
}

}  // namespace standin
