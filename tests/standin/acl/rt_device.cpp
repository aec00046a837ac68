#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <acl/acl.h>

#include "tests/standin/acl/rt_state.h"
#include "tests/standin/acl/visible_devices.h"
#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/ge_log.h"
#include "tests/standin/common/knobs.h"
#include "tests/standin/device/device_table.h"

namespace standin {
namespace {

struct Context {
  int device = 0;  // logic id
};

struct State {
  std::mutex mutex;
  bool initialized = false;
  std::map<int, int> users;  // logic id → how often it is set
  std::map<int, std::uint64_t> memory;
};

State& state() {
  static State process_state;
  return process_state;
}

thread_local int current_device = -1;
thread_local std::string recent_error;

std::optional<std::string> visible_variable() {
  const char* value = std::getenv("ASCEND_RT_VISIBLE_DEVICES");
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Read when the library is loaded: setting the variable later has no effect.
const std::optional<std::string> kVisibleVariable = visible_variable();

std::vector<int> devices() {
  return visible_devices(kVisibleVariable, standin_device_count());
}

aclError attach(int logic_id) {
  State& process = state();
  const std::lock_guard lock(process.mutex);
  if (process.users[logic_id]++ > 0) {
    return ACL_SUCCESS;
  }
  const DeviceKnobs knobs = device_knobs();
  if (knobs.device_busy || standin_device_attach(logic_id) != 0) {
    process.users[logic_id] = 0;
    return rt_fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "EL0005: The resources are busy. Open device " +
                                                     std::to_string(logic_id) + " failed.");
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(knobs.set_device_ms));
  return ACL_SUCCESS;
}

}  // namespace

bool rt_initialized() {
  return state().initialized;
}

int rt_current_device() {
  return current_device;
}

aclError rt_fail(aclError code, const std::string& text) {
  recent_error = text;
  DlogRecord(RUNTIME, DLOG_ERROR, "[%s:%d]%lu %s:%s ret=%d", "api_error.cc", __LINE__, thread_id(),
             __func__, text.c_str(), code);
  DlogFlush();
  return code;
}

aclError rt_take_memory(std::uint64_t bytes) {
  const int device = current_device;
  if (device < 0) {
    return rt_fail(ACL_ERROR_RT_CONTEXT_NULL, "EE1001: The current context is null.");
  }
  State& process = state();
  const std::lock_guard lock(process.mutex);
  const std::uint64_t total = standin_device_memory_total(device);
  const std::uint64_t used = standin_device_memory_used(device);
  if (used > total || bytes > total - used) {
    return rt_fail(ACL_ERROR_RT_DEVICE_OOM,
                   "EL0004: Failed to allocate memory: " + std::to_string(bytes) +
                       " bytes wanted, " + std::to_string(total - std::min(used, total)) +
                       " free on device " + std::to_string(device) + ".");
  }
  process.memory[device] += bytes;
  standin_device_set_memory(device, process.memory[device]);
  return ACL_SUCCESS;
}

void rt_give_memory(std::uint64_t bytes) {
  State& process = state();
  const std::lock_guard lock(process.mutex);
  std::uint64_t& held = process.memory[current_device];
  held -= std::min(held, bytes);
  standin_device_set_memory(current_device, held);
}

}  // namespace standin

using standin::state;

extern "C" {

aclError aclInit(const char* /*configPath*/) {
  const std::lock_guard lock(state().mutex);
  if (state().initialized) {
    return ACL_ERROR_REPEAT_INITIALIZE;
  }
  state().initialized = true;
  return ACL_SUCCESS;
}

aclError aclFinalize() {
  {
    const std::lock_guard lock(state().mutex);
    if (!state().initialized) {
      return ACL_ERROR_UNINITIALIZE;
    }
    state().initialized = false;
  }
  DlogReportFinalize();
  return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg() {
  thread_local std::string returned;
  returned = std::exchange(standin::recent_error, "");
  return returned.empty() ? nullptr : returned.c_str();
}

const char* aclrtGetSocName() {
  return standin_soc_version();
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  if (count == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *count = static_cast<uint32_t>(standin::devices().size());
  return *count == 0 ? standin::rt_fail(ACL_ERROR_RT_NO_DEVICE, "EE1001: There is no device.")
                     : ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId) {
  const auto devices = standin::devices();
  if (deviceId < 0 || static_cast<size_t>(deviceId) >= devices.size()) {
    const std::string range = "input data rang[0-" + std::to_string(standin_device_count()) + ")";
    const std::string what =
        standin::kVisibleVariable.has_value() && devices.empty()
            ? "set ASCEND_RT_VISIBLE_DEVICES:" + *standin::kVisibleVariable + " error, "
            : "set device " + std::to_string(deviceId) + " error, ";
    return standin::rt_fail(ACL_ERROR_RT_INVALID_DEVICEID,
                            "EE1001: The argument is invalid.Reason: " + what + range);
  }
  const int logic_id = devices[static_cast<size_t>(deviceId)];
  const aclError failure = standin::attach(logic_id);
  if (failure == ACL_SUCCESS) {
    standin::current_device = logic_id;
  }
  return failure;
}

aclError aclrtGetDevice(int32_t* deviceId) {
  const auto devices = standin::devices();
  for (size_t index = 0; index < devices.size(); ++index) {
    if (devices[index] == standin::current_device && deviceId != nullptr) {
      *deviceId = static_cast<int32_t>(index);
      return ACL_SUCCESS;
    }
  }
  return ACL_ERROR_RT_CONTEXT_NULL;
}

aclError aclrtResetDevice(int32_t deviceId) {
  const auto devices = standin::devices();
  if (deviceId < 0 || static_cast<size_t>(deviceId) >= devices.size()) {
    return ACL_ERROR_RT_INVALID_DEVICEID;
  }
  const int logic_id = devices[static_cast<size_t>(deviceId)];
  const std::lock_guard lock(state().mutex);
  int& users = state().users[logic_id];
  if (users > 0 && --users == 0) {
    state().memory[logic_id] = 0;
    standin_device_detach(logic_id);
    standin::current_device = -1;
  }
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  if (runMode == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  const aclError failure = aclrtSetDevice(deviceId);
  if (context == nullptr || failure != ACL_SUCCESS) {
    return context == nullptr ? ACL_ERROR_INVALID_PARAM : failure;
  }
  *context = new standin::Context{standin::current_device};
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
  if (context == nullptr) {
    return ACL_ERROR_RT_CONTEXT_NULL;
  }
  delete static_cast<standin::Context*>(context);
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  if (context == nullptr) {
    return ACL_ERROR_RT_CONTEXT_NULL;
  }
  standin::current_device = static_cast<standin::Context*>(context)->device;
  return ACL_SUCCESS;
}

}  // extern "C"
