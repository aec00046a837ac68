#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include <acl/acl_rt.h>

#include "tests/standin/acl/rt_state.h"

namespace {

std::mutex streams_mutex;

std::set<standin::Timeline*>& streams() {
  static std::set<standin::Timeline*> open;
  return open;
}

}  // namespace

namespace standin {

Timeline* rt_timeline(aclrtStream stream) {
  return static_cast<Timeline*>(stream);
}

}  // namespace standin

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
  if (stream == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  if (standin::rt_current_device() < 0) {
    return ACL_ERROR_RT_CONTEXT_NULL;
  }
  auto* timeline = new standin::Timeline;
  const std::lock_guard lock(streams_mutex);
  streams().insert(timeline);
  *stream = timeline;
  return ACL_SUCCESS;
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/,
                                     uint32_t /*flag*/) {
  return aclrtCreateStream(stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  const std::lock_guard lock(streams_mutex);
  auto* timeline = standin::rt_timeline(stream);
  if (streams().erase(timeline) == 0) {
    return ACL_ERROR_RT_STREAM_CONTEXT;
  }
  delete timeline;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  if (stream != nullptr) {
    standin::wait_until(standin::rt_timeline(stream)->done_at());
  }
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  if (stream == nullptr || timeout < 0) {
    return timeout < -1 ? ACL_ERROR_INVALID_PARAM : aclrtSynchronizeStream(stream);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
  const auto done = standin::rt_timeline(stream)->done_at();
  standin::wait_until(std::min(done, deadline));
  return done > deadline ? ACL_ERROR_RT_STREAM_SYNC_TIMEOUT : ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void) {
  standin::SteadyTime done{};
  {
    const std::lock_guard lock(streams_mutex);
    for (const auto* timeline : streams()) {
      done = std::max(done, timeline->done_at());
    }
  }
  standin::wait_until(done);
  return ACL_SUCCESS;
}

}  // extern "C"
