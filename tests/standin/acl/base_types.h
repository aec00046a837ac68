// What stands behind the handles of acl_base.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <acl/acl_base.h>

struct aclDataBuffer {
  void* data = nullptr;
  size_t size = 0;
};

struct aclTensorDesc {
  aclDataType type = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  std::vector<int64_t> dims;
};
