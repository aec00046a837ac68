// The value of a graph attribute.
#pragma once

#include <memory>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/types.h"

namespace ge {

class AttrValueImpl;
class AttrValue {
 public:
  AttrValue();
  ~AttrValue() = default;

  graphStatus SetAttrValue(const AscendString& attr_value) const;
  graphStatus SetAttrValue(const int64_t& attr_value) const;
  graphStatus SetAttrValue(const bool& attr_value) const;
  // Each fails when the value is of another type.
  graphStatus GetAttrValue(AscendString& attr_value) const;
  graphStatus GetAttrValue(int64_t& attr_value) const;
  graphStatus GetAttrValue(bool& attr_value) const;

  std::shared_ptr<AttrValueImpl> impl;
};

}  // namespace ge
