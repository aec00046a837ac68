// Makes operators by the name of their type.
#pragma once

#include <string>

#include "graph/ascend_string.h"
#include "graph/operator.h"
#include "graph/types.h"

namespace ge {

class OperatorFactory {
 public:
  // An unknown type makes an empty operator.
  static Operator CreateOperator(const std::string& operator_name,
                                 const std::string& operator_type);
  static Operator CreateOperator(const char_t* const operator_name,
                                 const char_t* const operator_type);
  static bool IsExistOp(const char_t* const operator_type);
};

}  // namespace ge
