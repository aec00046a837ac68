#include "agent/meter_look.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "common/error.h"

namespace mstune::agent {
namespace {

// Between two trials nobody should wait long for what is only worth knowing.
constexpr Duration kAnswerMax = std::chrono::seconds(5);

}  // namespace

MeterLook::MeterLook(Meters meters, TimePoint now) : meters_(std::move(meters)) {
  for (const Chip& chip : meters_.chips) {
    cards_.push_back(chip.place.card);
  }
  std::sort(cards_.begin(), cards_.end(), std::greater<>());
  cards_.erase(std::unique(cards_.begin(), cards_.end()), cards_.end());
  begin_next(now);
}

void MeterLook::begin_next(TimePoint now) {
  run_.reset();
  if (cards_.empty()) {
    return;
  }
  const std::string card = std::to_string(cards_.back());
  try {
    run_.emplace(std::vector<std::string>{"info", "-t", "common", "-i", card}, meters_.environment,
                 now, kAnswerMax);
  } catch (const Error&) {
    cards_.clear();
  }
}

bool MeterLook::step(TimePoint now) {
  while (run_ && run_->step(now)) {
    if (run_->status() == 0) {
      take(cards_.back());
      cards_.pop_back();
    } else {
      cards_.clear();
    }
    begin_next(now);
  }
  return !run_;
}

void MeterLook::take(int card) {
  const auto meters = parse_meters(run_->output());
  for (const Chip& chip : meters_.chips) {
    const auto found = meters.find(chip.place.chip);
    if (chip.place.card == card && found != meters.end()) {
      readings_.push_back({chip.logic_id, found->second.temperature_c, found->second.power_w,
                           found->second.clock_mhz});
    }
  }
}

std::vector<int> MeterLook::descriptors() const {
  return run_ ? run_->descriptors() : std::vector<int>();
}

}  // namespace mstune::agent
