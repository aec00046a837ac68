// One operator of a graph that is being built by hand.
#pragma once

#include <memory>
#include <string>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

class OperatorImpl;
class Operator {
 public:
  Operator();
  virtual ~Operator() = default;
  explicit Operator(const char_t* type);
  Operator(const char_t* name, const char_t* type);

  bool IsEmpty() const;
  graphStatus GetName(AscendString& name) const;
  graphStatus GetOpType(AscendString& type) const;

  Operator& SetInput(const char_t* dst_name, const Operator& src_oprt);
  Operator& SetInput(const char_t* dst_name, const Operator& src_oprt, const char_t* name);
  Operator& SetInput(uint32_t dst_index, const Operator& src_oprt, uint32_t src_index);

  graphStatus UpdateInputDesc(const char_t* name, const TensorDesc& tensor_desc);
  graphStatus UpdateOutputDesc(const char_t* name, const TensorDesc& tensor_desc);

  Operator& SetAttr(const char_t* name, bool attr_value);
  Operator& SetAttr(const char_t* name, int64_t attr_value);
  Operator& SetAttr(const char_t* name, int32_t attr_value);
  Operator& SetAttr(const char_t* name, float32_t attr_value);
  Operator& SetAttr(const char_t* name, const char_t* attr_value);
  Operator& SetAttr(const char_t* name, const Tensor& attr_value);

 private:
  friend class OperatorAccess;
  std::shared_ptr<OperatorImpl> operator_impl_;
};

}  // namespace ge
