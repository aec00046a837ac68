// Descriptions of tensors.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensorDesc aclTensorDesc;

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format);
void aclDestroyTensorDesc(const aclTensorDesc* desc);
size_t aclGetTensorDescSize(const aclTensorDesc* desc);
size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);
aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize);

#ifdef __cplusplus
}
#endif
