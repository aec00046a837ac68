#include "agent/device_look.h"

#include <string>

#include "agent/device_table.h"
#include "common/error.h"

namespace mstune::agent {
namespace {

constexpr std::size_t kFailureShown = 200;

}  // namespace

DeviceLook::DeviceLook(const Environment& environment, TimePoint now) {
  try {
    run_.emplace(std::vector<std::string>{"info"}, environment, now);
  } catch (const Error&) {
    over_ = true;  // a plain container has none: the facts say so
  }
}

bool DeviceLook::step(TimePoint now) {
  over_ = over_ || run_->step(now);
  return over_;
}

void DeviceLook::put(BoxFacts& facts) const {
  facts.has_npu_smi = run_.has_value();
  if (!run_) {
    return;
  }
  const std::string output = run_->status() ? run_->output() : "it did not answer in time";
  facts.devices = parse_device_table(output);
  if (facts.devices.empty()) {
    facts.npu_smi_failure = output.substr(0, kFailureShown);
  }
}

std::vector<int> DeviceLook::descriptors() const {
  return over_ ? std::vector<int>() : run_->descriptors();
}

TimePoint DeviceLook::deadline() const {
  return over_ ? kNever : run_->deadline();
}

}  // namespace mstune::agent
