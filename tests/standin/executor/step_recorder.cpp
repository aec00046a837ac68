#include "tests/standin/executor/step_recorder.h"

#include <sys/time.h>

#include <algorithm>
#include <cinttypes>
#include <map>
#include <mutex>

#include "tests/standin/common/ge_log.h"

namespace standin {
namespace {

constexpr std::size_t kModeBytesMax = 128;
constexpr std::uint32_t kAborted = 0xFFFFFFFF;

thread_local int open_scopes = 0;

std::mutex recorder_mutex;

std::uint64_t next_step(std::uint32_t model_id) {
  static std::map<std::uint32_t, std::uint64_t> steps;
  const std::lock_guard lock(recorder_mutex);
  return steps[model_id]++;
}

// The wall clock in microseconds: it can be set back, as the real recorder's can.
std::uint64_t now_us() {
  timeval now{};
  gettimeofday(&now, nullptr);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000 + static_cast<std::uint64_t>(now.tv_usec);
}

// With given costs the clock does not say when a step ended: the next must not begin before.
std::uint64_t start_after_given(std::uint64_t start_us, std::uint64_t cost_us) {
  static std::uint64_t last_end_us = 0;
  const std::lock_guard lock(recorder_mutex);
  const std::uint64_t start = std::max(start_us, last_end_us);
  last_end_us = start + cost_us;
  return start;
}

}  // namespace

std::string recorded_mode(const std::string& attribute) {
  std::string mode = attribute.substr(0, kModeBytesMax);
  for (char& c : mode) {
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      c == ':' || c == '_' || c == '.' || c == '-';
    c = kept ? c : '_';
  }
  return mode;
}

StepScope::StepScope(const char* api, const std::string& mode, std::uint32_t model_id)
    : api_(api),
      mode_(recorded_mode(mode)),
      model_id_(model_id),
      active_(!mode.empty() && open_scopes == 0) {
  ++open_scopes;
  if (active_) {
    step_ = next_step(model_id);
    start_us_ = now_us();
  }
}

StepScope::~StepScope() {
  finish(kAborted, 0, 0, std::nullopt);
  --open_scopes;
}

void StepScope::finish(std::uint32_t ret, std::uint64_t sync_us, std::int32_t sync_ret,
                       std::optional<std::uint64_t> cost_us) {
  if (!active_) {
    return;
  }
  active_ = false;
  std::uint64_t start_us = start_us_;
  std::uint64_t end_us = now_us();
  if (cost_us.has_value()) {
    start_us = start_after_given(start_us_, *cost_us);
    end_us = start_us + *cost_us;
  }
  if (end_us < start_us) {
    GE_LOG_WARNING("[GE_MS_TUNE] Invalid timestamp interval, start_us=%" PRIu64 " end_us=%" PRIu64,
                   start_us, end_us);
  }
  const std::uint64_t cost = end_us < start_us ? 0 : end_us - start_us;
  GE_LOG_EVENT("[GE_MS_TUNE][STEP] api=%s mode=%s model_id=%u step=%" PRIu64 " start_us=%" PRIu64
               " end_us=%" PRIu64 " cost_us=%" PRIu64 " sync_us=%" PRIu64 " ret=%u sync_ret=%d",
               api_, mode_.c_str(), model_id_, step_, start_us, end_us, cost, sync_us, ret,
               sync_ret);
}

}  // namespace standin
