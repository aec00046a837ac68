#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <acl/acl_rt.h>

#include "tests/standin/acl/rt_state.h"
#include "tests/standin/device/device_table.h"

namespace {

// Device memory is host memory here; the map knows its size, and so what aclrtFree gives back.
std::mutex blocks_mutex;

std::map<void*, size_t>& blocks() {
  static std::map<void*, size_t> device_blocks;
  return device_blocks;
}

}  // namespace

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  if (devPtr == nullptr || size == 0) {
    return ACL_ERROR_INVALID_PARAM;
  }
  const aclError failure = standin::rt_take_memory(size);
  if (failure != ACL_SUCCESS) {
    return failure;
  }
  *devPtr = std::malloc(size);
  if (*devPtr == nullptr) {
    standin::rt_give_memory(size);
    return ACL_ERROR_BAD_ALLOC;
  }
  const std::lock_guard lock(blocks_mutex);
  blocks()[*devPtr] = size;
  return ACL_SUCCESS;
}

aclError aclrtFree(void* devPtr) {
  size_t size = 0;
  {
    const std::lock_guard lock(blocks_mutex);
    const auto found = blocks().find(devPtr);
    if (found == blocks().end()) {
      return ACL_ERROR_INVALID_PARAM;
    }
    size = found->second;
    blocks().erase(found);
  }
  standin::rt_give_memory(size);
  std::free(devPtr);
  return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  if (hostPtr == nullptr || size == 0) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *hostPtr = std::malloc(size);
  return *hostPtr == nullptr ? ACL_ERROR_BAD_ALLOC : ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
  std::free(hostPtr);
  return ACL_SUCCESS;
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind /*kind*/) {
  if (dst == nullptr || src == nullptr || count > destMax) {
    return ACL_ERROR_INVALID_PARAM;
  }
  std::memcpy(dst, src, count);
  return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream /*stream*/) {
  return aclrtMemcpy(dst, destMax, src, count, kind);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  if (devPtr == nullptr || count > maxCount) {
    return ACL_ERROR_INVALID_PARAM;
  }
  std::memset(devPtr, value, count);
  return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
  const int device = standin::rt_current_device();
  if (device < 0 || free == nullptr || total == nullptr) {
    return device < 0 ? ACL_ERROR_RT_CONTEXT_NULL : ACL_ERROR_INVALID_PARAM;
  }
  const uint64_t used = standin_device_memory_used(device);
  *total = standin_device_memory_total(device);
  *free = *total > used ? *total - used : 0;
  return ACL_SUCCESS;
}

}  // extern "C"
