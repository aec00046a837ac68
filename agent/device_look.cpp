#include "agent/device_look.h"

#include <algorithm>
#include <array>

#include "agent/device_table.h"
#include "common/error.h"

namespace mstune::agent {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(20);
constexpr std::size_t kOutputMax = std::size_t{1} << 20U;
constexpr std::size_t kFailureShown = 200;

}  // namespace

DeviceLook::DeviceLook(const Environment& environment, TimePoint now)
    : deadline_(after(now, kAnswerMax)) {
  os::SpawnRequest request;
  request.command = {"npu-smi", "info"};
  Environment own = environment;
  own["PATH"] += ":/usr/local/sbin:/usr/local/bin";  // where the driver's installer puts it
  request.environment = environment_strings(own);
  request.dies_with_parent = true;
  try {
    process_.emplace(request);
    found_ = true;
  } catch (const Error&) {
    found_ = false;  // a plain container has none: the facts say so
  }
}

bool DeviceLook::step(TimePoint now) {
  if (!process_) {
    return true;
  }
  std::array<char, 16384> buffer{};
  for (;;) {
    const os::Chunk chunk = os::read_chunk(process_->output(), buffer);
    output_ended_ = output_ended_ || chunk.ended;
    if (chunk.bytes.empty()) {
      break;
    }
    output_.append(chunk.bytes.substr(0, kOutputMax - std::min(kOutputMax, output_.size())));
  }
  const bool ended = process_->has_exited();
  if (!ended && now < deadline_) {
    return false;
  }
  if (!ended) {
    output_ = "it did not answer in time";
  }
  process_.reset();  // ends it where it still runs
  return true;
}

void DeviceLook::put(BoxFacts& facts) const {
  facts.has_npu_smi = found_;
  facts.devices = parse_device_table(output_);
  if (facts.devices.empty()) {
    facts.npu_smi_failure = output_.substr(0, kFailureShown);
  }
}

std::vector<int> DeviceLook::descriptors() const {
  if (!process_) {
    return {};
  }
  return {process_->exit_descriptor(), output_ended_ ? -1 : process_->output()};
}

}  // namespace mstune::agent
