#include <algorithm>

#include <graph/operator.h>
#include <graph/operator_factory.h>

#include "tests/standin/common/ge_log.h"
#include "tests/standin/common/op_table.h"
#include "tests/standin/graph/graph_impl.h"

namespace ge {
namespace {

std::string input_name(const standin::OpKind& kind, std::size_t index) {
  std::string name(kind.inputs[std::min(index, kind.inputs.size() - 1)]);
  if (name.back() == '*') {
    name.back() = static_cast<char>('0' + index);
  }
  return name;
}

}  // namespace

Operator::Operator() = default;
Operator::Operator(const char_t* type) : Operator(type, type) {}
Operator::Operator(const char_t* name, const char_t* type)
    : operator_impl_(std::make_shared<OperatorImpl>()) {
  operator_impl_->name = name;
  operator_impl_->type = type;
}

bool Operator::IsEmpty() const {
  return operator_impl_ == nullptr;
}

graphStatus Operator::GetName(AscendString& name) const {
  if (IsEmpty()) {
    return GRAPH_FAILED;
  }
  name = AscendString(operator_impl_->name.c_str());
  return GRAPH_SUCCESS;
}

graphStatus Operator::GetOpType(AscendString& type) const {
  if (IsEmpty()) {
    return GRAPH_FAILED;
  }
  type = AscendString(operator_impl_->type.c_str());
  return GRAPH_SUCCESS;
}

Operator& Operator::SetInput(const char_t* dst_name, const Operator& src_oprt) {
  if (IsEmpty() || src_oprt.IsEmpty() || dst_name == nullptr) {
    GE_LOG_ERROR("an input of an empty operator cannot be set: %s",
                 dst_name == nullptr ? "" : dst_name);
    return *this;
  }
  auto& inputs = operator_impl_->inputs;
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const auto& input) { return input.name == dst_name; });
  if (found == inputs.end()) {
    inputs.push_back({dst_name, src_oprt.operator_impl_});
  } else {
    found->source = src_oprt.operator_impl_;
  }
  return *this;
}

Operator& Operator::SetInput(const char_t* dst_name, const Operator& src_oprt,
                             const char_t* /*name: every operator here has one output*/) {
  return SetInput(dst_name, src_oprt);
}

Operator& Operator::SetInput(uint32_t dst_index, const Operator& src_oprt, uint32_t /*src_index*/) {
  const standin::OpKind* kind = IsEmpty() ? nullptr : standin::find_op(operator_impl_->type);
  if (kind == nullptr || kind->inputs.empty()) {
    return *this;
  }
  return SetInput(input_name(*kind, dst_index).c_str(), src_oprt);
}

graphStatus Operator::UpdateInputDesc(const char_t* name, const TensorDesc& /*tensor_desc*/) {
  return IsEmpty() || name == nullptr ? GRAPH_FAILED : GRAPH_SUCCESS;
}

graphStatus Operator::UpdateOutputDesc(const char_t* name, const TensorDesc& tensor_desc) {
  if (IsEmpty() || name == nullptr) {
    return GRAPH_FAILED;
  }
  operator_impl_->outputs[name] = tensor_desc;
  return GRAPH_SUCCESS;
}

Operator& Operator::SetAttr(const char_t* name, bool attr_value) {
  return SetAttr(name, static_cast<int64_t>(attr_value));
}
Operator& Operator::SetAttr(const char_t* name, int32_t attr_value) {
  return SetAttr(name, static_cast<int64_t>(attr_value));
}
Operator& Operator::SetAttr(const char_t* name, int64_t attr_value) {
  if (!IsEmpty()) {
    operator_impl_->numbers[name] = attr_value;
  }
  return *this;
}
// The modelled operators have no attribute of these two types; setting one is not an error.
Operator& Operator::SetAttr(const char_t* /*name*/, float32_t /*attr_value*/) {
  return *this;
}
Operator& Operator::SetAttr(const char_t* /*name*/, const char_t* /*attr_value*/) {
  return *this;
}
Operator& Operator::SetAttr(const char_t* name, const Tensor& attr_value) {
  if (!IsEmpty()) {
    operator_impl_->tensors[name] = attr_value;
  }
  return *this;
}

bool OperatorFactory::IsExistOp(const char_t* const operator_type) {
  return operator_type != nullptr && standin::find_op(operator_type) != nullptr;
}

Operator OperatorFactory::CreateOperator(const char_t* const operator_name,
                                         const char_t* const operator_type) {
  if (operator_name == nullptr || !IsExistOp(operator_type)) {
    GE_LOG_ERROR("no operator creator is registered for type %s",
                 operator_type == nullptr ? "(null)" : operator_type);
    return Operator();
  }
  return Operator(operator_name, operator_type);
}

Operator OperatorFactory::CreateOperator(const std::string& operator_name,
                                         const std::string& operator_type) {
  return CreateOperator(operator_name.c_str(), operator_type.c_str());
}

}  // namespace ge
