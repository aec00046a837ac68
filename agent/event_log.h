// The numbered events of one trial, kept until the coordinator has them on its disk.
//
// Decides what may be sent now: everything from the number that the coordinator has, as long as
// what is under way stays within a window. It sends nothing itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/messages.h"

namespace mstune::agent {

struct EventBatch {
  std::uint64_t first = 0;
  std::vector<protocol::Event> events;
};

class EventLog {
 public:
  // The window bounds the bytes of text that are sent and not acknowledged.
  explicit EventLog(std::size_t window_bytes = 4 * 1024 * 1024) : window_bytes_(window_bytes) {}

  void append(protocol::Event event);

  // Takes the next events to send, at most about `batch_bytes` of them; empty when there are none
  // or the window is full.
  EventBatch take(std::size_t batch_bytes = 128 * 1024);

  // Forgets the events before `events`. False: that many were never sent.
  bool acknowledge(std::uint64_t events);

  // The coordinator has what stands before `events` and wants the rest, again where needed. False:
  // the number is before what it acknowledged or beyond what was ever sent.
  bool rewind(std::uint64_t events);

  [[nodiscard]] std::uint64_t count() const { return first_kept_ + kept_.size(); }
  [[nodiscard]] bool all_acknowledged() const { return kept_.empty(); }
  // About the memory that the kept events take: the text of lines, and something for the rest.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  void forget_first();

  std::size_t window_bytes_;
  std::deque<protocol::Event> kept_;
  std::uint64_t first_kept_ = 0;  // the number of kept_.front()
  std::uint64_t next_ = 0;        // the number of the next event to send
  std::uint64_t sent_ = 0;        // the number behind the last one that was ever sent
  std::size_t under_way_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
};

}  // namespace mstune::agent
