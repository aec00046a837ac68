// Whether one agent is there, as a pure machine: greeting, pings, silence.
//
// The connection hands in whatever arrives and the time; it sends what comes back.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/message.h"
#include "common/time.h"
#include "protocol/codec.h"

namespace mstune::coordinator {

struct SendRequest {
  protocol::Request request;
};
struct LinkReady {
  protocol::Welcome welcome;
};
struct LinkGone {};  // not heard for three ping periods
struct LinkRefused {
  Message why;
};
using LinkAction = std::variant<SendRequest, LinkReady, LinkGone, LinkRefused>;

class Link {
 public:
  Link(std::string campaign, TimePoint now) : campaign_(std::move(campaign)), next_send_(now) {}

  // Of the greeting: whether the agent may keep the campaign's files when it is over.
  void keep_files(bool keep) { keep_files_ = keep; }
  // The same: the set_env.sh that the campaign's trials will use on that agent.
  void use_cann(std::string cann_env) { cann_env_ = std::move(cann_env); }

  // Something arrived. What is not about the link (events, files) only shows that the agent lives.
  std::vector<LinkAction> handle(const protocol::Report& report, TimePoint now);
  std::vector<LinkAction> tick(TimePoint now);
  // A connection has come about, perhaps after one that broke: the agent does not know this one.
  std::vector<LinkAction> connected(TimePoint now);
  [[nodiscard]] TimePoint deadline() const;
  [[nodiscard]] bool ready() const { return state_ == State::ready; }
  // When the first greeting or ping was sent that nothing has followed; kNever: none.
  [[nodiscard]] TimePoint asked_since() const { return asked_since_; }

 private:
  enum class State { greeting, ready, refused };

  void greet(TimePoint now);

  std::string campaign_;
  std::string cann_env_;
  bool keep_files_ = true;
  State state_ = State::greeting;
  TimePoint next_send_;           // of a Hello while greeting, of a Ping when ready
  TimePoint silent_at_ = kNever;  // gone unless something is heard before
  TimePoint asked_since_ = kNever;
  Duration greet_every_ = std::chrono::milliseconds(10);
  std::uint64_t sequence_ = 0;
  std::string instance_;  // of the agent that answered last
  bool greeted_ = false;  // since it did
  std::vector<LinkAction> actions_;
};

}  // namespace mstune::coordinator
