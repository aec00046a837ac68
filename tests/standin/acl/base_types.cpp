#include "tests/standin/acl/base_types.h"

#include "tests/standin/common/graph_def.h"

extern "C" {

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  return new aclDataBuffer{data, size};
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  delete dataBuffer;
  return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  if (dataBuffer == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *dataBuffer = {data, size};
  return ACL_SUCCESS;
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? nullptr : dataBuffer->data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? 0 : dataBuffer->size;
}

size_t aclDataTypeSize(aclDataType dataType) {
  return standin::element_bytes(dataType);
}

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format) {
  if (numDims < 0 || (numDims > 0 && dims == nullptr)) {
    return nullptr;
  }
  return new aclTensorDesc{dataType, format, {dims, dims + numDims}};
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  delete desc;
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  const int64_t count = desc == nullptr ? 0 : standin::element_count(desc->dims);
  return count < 0 ? 0 : static_cast<size_t>(count) * aclDataTypeSize(desc->type);
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return desc == nullptr ? 0 : desc->dims.size();
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  if (desc == nullptr || dimSize == nullptr || index >= desc->dims.size()) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *dimSize = desc->dims[index];
  return ACL_SUCCESS;
}

}  // extern "C"
