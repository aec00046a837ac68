#include "coordinator/link.h"

#include <algorithm>
#include <utility>

#include "common/version.h"

namespace mstune::coordinator {
namespace {

constexpr Duration kGreetEveryMax = std::chrono::seconds(1);

// Which of the two is to be upgraded.
Message other_protocol(const protocol::Welcome& welcome) {
  if (welcome.major > protocol::kMajor) {
    return message("link.coordinator_too_old",
                   "the agent (mstune-agent {}) speaks version {} of the protocol, this mstune "
                   "({}) version {}: upgrade mstune here, to the agent's release",
                   welcome.software, welcome.major, kVersion, protocol::kMajor);
  }
  return message("link.agent_too_old",
                 "the agent (mstune-agent {}) speaks version {} of the protocol, this mstune ({}) "
                 "version {}: upgrade the agent, with scripts/install-agent.sh of this release",
                 welcome.software, welcome.major, kVersion, protocol::kMajor);
}

// What no machine has: whoever says so is no agent, and each of it would cost time and memory.
bool is_beyond_belief(const protocol::Welcome& welcome) {
  constexpr std::size_t kDevicesMax = 1024;
  constexpr std::size_t kListMax = 256;
  constexpr std::size_t kTextMax = 1024;
  const auto is_long = [](const std::string& text) { return text.size() > kTextMax; };
  const bool long_text = is_long(welcome.software) || is_long(welcome.instance) ||
                         is_long(welcome.host) || is_long(welcome.boot_id) ||
                         is_long(welcome.architecture) || is_long(welcome.cann_version) ||
                         is_long(welcome.driver_version) ||
                         std::any_of(welcome.chips.begin(), welcome.chips.end(), is_long);
  return long_text || welcome.devices.size() > kDevicesMax || welcome.chips.size() > kDevicesMax ||
         welcome.capabilities.size() > kListMax || welcome.notices.size() > kListMax;
}

}  // namespace

void Link::greet(TimePoint now) {
  protocol::Hello hello;
  hello.software = kVersion;
  hello.oldest_major = protocol::kOldestMajor;
  hello.campaign = campaign_;
  hello.cann_env = cann_env_;
  hello.keep_files = keep_files_;
  actions_.emplace_back(SendRequest{hello});
  greeted_ = true;
  asked_since_ = std::min(asked_since_, now);
  next_send_ = after(now, greet_every_);
  greet_every_ = std::min(greet_every_ * 2, kGreetEveryMax);
}

std::vector<LinkAction> Link::handle(const protocol::Report& report, TimePoint now) {
  if (state_ == State::refused) {
    return {};
  }
  asked_since_ = kNever;
  if (const auto* welcome = std::get_if<protocol::Welcome>(&report)) {
    if (welcome->major < protocol::kOldestMajor || welcome->major > protocol::kMajor) {
      state_ = State::refused;
      actions_.emplace_back(LinkRefused{other_protocol(*welcome)});
      return std::exchange(actions_, {});
    }
    if (is_beyond_belief(*welcome)) {
      state_ = State::refused;
      actions_.emplace_back(LinkRefused{message(
          "link.beyond_belief",
          "what answers there says of itself what no agent says ({} devices, {} notices): look at "
          "what listens at that address",
          welcome->devices.size(), welcome->notices.size())});
      return std::exchange(actions_, {});
    }
    // An agent that stood still answers all greetings at once; what follows the first answer
    // reaches it behind the last of them.
    if (state_ != State::ready || greeted_ || welcome->instance != instance_) {
      actions_.emplace_back(LinkReady{*welcome});
    }
    greeted_ = false;
    instance_ = welcome->instance;
    state_ = State::ready;
    greet_every_ = std::chrono::milliseconds(10);
    next_send_ = after(now, protocol::kPingPeriod);
  } else if (const auto* failure = std::get_if<protocol::Failure>(&report)) {
    if (failure->request == "hello") {
      state_ = State::refused;
      actions_.emplace_back(LinkRefused{failure->what});
    } else if (failure->what.id == "agent.no_session") {
      greet(now);  // it forgot us while it heard nothing
    }
  }
  if (state_ == State::ready) {
    silent_at_ = after(now, protocol::kSilenceMax);
  }
  return std::exchange(actions_, {});
}

std::vector<LinkAction> Link::connected(TimePoint now) {
  if (state_ != State::refused) {
    asked_since_ = kNever;  // what was asked over another one will not be answered
    greet(now);
  }
  return std::exchange(actions_, {});
}

std::vector<LinkAction> Link::tick(TimePoint now) {
  if (state_ == State::ready && now >= silent_at_) {
    state_ = State::greeting;
    silent_at_ = kNever;
    actions_.emplace_back(LinkGone{});
    greet(now);
  } else if (state_ != State::refused && now >= next_send_) {
    if (state_ == State::greeting) {
      greet(now);
    } else {
      actions_.emplace_back(SendRequest{protocol::Ping{++sequence_}});
      asked_since_ = std::min(asked_since_, now);
      next_send_ = after(now, protocol::kPingPeriod);
    }
  }
  return std::exchange(actions_, {});
}

TimePoint Link::deadline() const {
  return state_ == State::refused ? kNever : std::min(next_send_, silent_at_);
}

}  // namespace mstune::coordinator
