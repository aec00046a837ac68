#include "agent/event_log.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace mstune::agent {
namespace {

// About what an event takes on the wire: the text of a line, and something for the rest.
std::size_t weight(const protocol::Event& event) {
  constexpr std::size_t kOverhead = 64;
  if (const auto* step = std::get_if<protocol::StepLine>(&event)) {
    return kOverhead + step->text.value.size() + step->source.value.size();
  }
  if (const auto* line = std::get_if<protocol::EventLine>(&event)) {
    return kOverhead + line->text.value.size() + line->source.value.size();
  }
  return kOverhead;
}

}  // namespace

void EventLog::append(protocol::Event event) {
  kept_bytes_ += weight(event);
  kept_.push_back(std::move(event));
}

EventBatch EventLog::take(std::size_t batch_bytes) {
  EventBatch batch{next_, {}};
  std::size_t bytes = 0;
  while (next_ < count() && bytes < batch_bytes && under_way_bytes_ < window_bytes_) {
    const protocol::Event& event = kept_[static_cast<std::size_t>(next_ - first_kept_)];
    bytes += weight(event);
    under_way_bytes_ += weight(event);
    batch.events.push_back(event);
    ++next_;
  }
  sent_ = std::max(sent_, next_);
  return batch;
}

void EventLog::forget_first() {
  kept_bytes_ -= weight(kept_.front());
  kept_.pop_front();
  ++first_kept_;
}

bool EventLog::acknowledge(std::uint64_t events) {
  if (events > next_) {
    return false;
  }
  while (first_kept_ < events) {
    under_way_bytes_ -= weight(kept_.front());
    forget_first();
  }
  return true;
}

bool EventLog::rewind(std::uint64_t events) {
  if (events < first_kept_ || events > sent_) {
    return false;
  }
  // What stands before the number is on the coordinator's disk, acknowledged or not.
  while (first_kept_ < events) {
    forget_first();
  }
  next_ = events;
  under_way_bytes_ = 0;
  return true;
}

}  // namespace mstune::agent
