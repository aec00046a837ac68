#include "coordinator/reach.h"

#include <algorithm>
#include <utility>

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kFailuresApart = seconds(1);
constexpr int kFailuresAfterGreeting = 2;
constexpr Duration kVerdictWithin = seconds(5);  // of the greeting; later ones have other causes
constexpr Duration kProbeEvery = seconds(1);
// An attempt of which nothing is told for so long is swallowed somewhere, or ZeroMQ has given up.
constexpr Duration kAttemptMax = seconds(1);
constexpr Duration kAttemptMaxUnprobed = seconds(10);
// An answer that does not come for so long did not get through; with files under way it may stand
// behind them.
constexpr Duration kAnswerMax = seconds(1);
constexpr Duration kAnswerMaxBulky = seconds(6);
constexpr Duration kPauseMax = milliseconds(1500);
constexpr int kPausesMax = 2;  // as long as the longest one
constexpr int kDoublingsMax = 5;
constexpr Duration kSteadyAfter = seconds(10);

}  // namespace

void Reach::refuse(Message why) {
  refused_ = true;
  actions_.emplace_back(ReachRefused{std::move(why)});
}

std::vector<ReachAction> Reach::handle(ConnectEvent event, TimePoint now) {
  if (refused_) {
    return {};
  }
  attempt_since_ = now;
  switch (event) {
    case ConnectEvent::connected:
      connected_ = true;
      anew_in_vain_ = 0;
      longest_pause_ = Duration::zero();
      last_heard_ = kNever;
      begin_diagnosis_again();
      break;
    case ConnectEvent::broken:
    case ConnectEvent::no_answer:  // told before each further attempt, whatever ended the last one
      connected_ = false;
      break;
    case ConnectEvent::no_handshake:
      connected_ = false;
      take_failed_handshake(now);
      break;
    case ConnectEvent::shut_out:
      refuse(message("connection.not_authorized",
                     "the agent at {} does not let the key \"{}\" in: give its .pub file to the "
                     "agent's owner, who adds it to the list of authorized clients",
                     endpoint_, client_));
      break;
    case ConnectEvent::other_mechanism:  // ZeroMQ does not try again
      judge(client_.empty() ? ProbeResult::wants_keys : ProbeResult::no_keys, now);
      break;
  }
  return std::exchange(actions_, {});
}

void Reach::begin_diagnosis_again() {
  first_failure_ = kNever;
  diagnosing_ = false;
  greeted_at_ = kNever;
  failures_since_ = 0;
}

void Reach::take_failed_handshake(TimePoint now) {
  if (trusted_) {
    return;
  }
  if (greeted_at_ != kNever && now > after(greeted_at_, kVerdictWithin)) {
    begin_diagnosis_again();
  }
  if (greeted_at_ != kNever) {
    if (++failures_since_ >= kFailuresAfterGreeting) {
      refuse(broken_off());
    }
  } else if (first_failure_ == kNever) {
    first_failure_ = now;
  } else if (!diagnosing_ && now >= after(first_failure_, kFailuresApart)) {
    diagnosing_ = true;
    if (can_probe_) {
      actions_.emplace_back(StartProbe{});
    } else {
      judge(client_.empty() ? ProbeResult::no_keys : ProbeResult::wants_keys, now);
    }
  }
}

// What greets there and ends every handshake all the same.
Message Reach::broken_off() const {
  return client_.empty()
             ? message("connection.not_an_agent",
                       "what listens at {} wants keys, or is no agent of mstune: put the agent's "
                       "public key into \"server_key\" of the target file instead of "
                       "\"insecure\", and look whether the port is right",
                       endpoint_)
             : message("connection.wrong_server_key",
                       "what listens at {} does not have the key that the target file pins: does "
                       "\"server_key\" match what the agent prints when it starts, and is it an "
                       "agent at all?",
                       endpoint_);
}

void Reach::judge(ProbeResult result, TimePoint now) {
  switch (result) {
    case ProbeResult::no_answer:
      begin_diagnosis_again();
      break;
    case ProbeResult::silent:
      begin_diagnosis_again();
      actions_.emplace_back(ReachLost{
          message("connection.not_behind",
                  "the agent is not reachable behind {}: connections are taken there and ended "
                  "without a word, as by a tunnel or a forwarder whose far end is away",
                  endpoint_)});
      break;
    case ProbeResult::stranger:
      refuse(message("connection.stranger",
                     "what listens at {} is no agent of mstune: look whether \"host\" and \"port\" "
                     "in the target file are right",
                     endpoint_));
      break;
    case ProbeResult::wants_keys:
      if (client_.empty()) {
        refuse(message("connection.agent_wants_keys",
                       "the agent at {} wants keys: put its public key into \"server_key\" of "
                       "the target file instead of \"insecure\"",
                       endpoint_));
      }
      greeted_at_ = now;
      break;
    case ProbeResult::no_keys:
      if (!client_.empty()) {
        refuse(message("connection.agent_has_no_keys",
                       "the agent at {} was started with --insecure, and the target file names "
                       "a \"server_key\": start it with its key",
                       endpoint_));
      }
      greeted_at_ = now;
      break;
  }
}

std::vector<ReachAction> Reach::handle(ProbeResult result, const Silence& silence, TimePoint now) {
  if (refused_) {
    return {};
  }
  const bool is_diagnosis = std::exchange(diagnosing_, false);
  if (is_diagnosis || (result == ProbeResult::stranger && !trusted_)) {
    judge(result, now);
  } else if (now >= stuck_at(silence) &&
             (result == ProbeResult::wants_keys || result == ProbeResult::no_keys)) {
    connect_anew(now);
  }
  return std::exchange(actions_, {});
}

// Time enough for its handshake before the next one.
void Reach::connect_anew(TimePoint now) {
  actions_.emplace_back(ConnectAnew{});
  connected_ = false;
  attempt_since_ = now;
  last_anew_ = now;
  next_probe_ = after(now, kProbeEvery);
  anew_in_a_row_ = std::min(anew_in_a_row_ + 1, kDoublingsMax);
  anew_in_vain_ = std::min(anew_in_vain_ + 1, kDoublingsMax);
}

void Reach::heard(const Silence& silence, TimePoint now) {
  if (silence.is_bulky && last_heard_ != kNever) {
    longest_pause_ = std::max(longest_pause_, now - last_heard_);
  }
  last_heard_ = now;
  if (anew_in_a_row_ > 0 && now >= after(last_anew_, kSteadyAfter)) {
    anew_in_a_row_ = 0;
  }
}

// Longer after each new connection: on a slow way it undoes what was under way.
Duration Reach::patience(const Silence& silence) const {
  Duration usual = kAnswerMax;
  if (silence.is_bulky) {
    usual = knows_pauses() ? std::max(kPauseMax, kPausesMax * longest_pause_) : kAnswerMaxBulky;
  }
  return usual * (1 << anew_in_a_row_);
}

TimePoint Reach::stuck_at(const Silence& silence) const {
  if (connected_) {
    // Files keep the connection talking; without them only what was asked for has to come.
    const bool talks = silence.is_bulky && knows_pauses();
    return after(talks ? last_heard_ : silence.asked, patience(silence));
  }
  return after(attempt_since_, kAttemptMax * (1 << anew_in_vain_));
}

std::vector<ReachAction> Reach::tick(const Silence& silence, TimePoint now) {
  if (refused_) {
    return {};
  }
  if (!connected_ && now >= after(attempt_since_, kAttemptMaxUnprobed)) {
    connect_anew(now);
  } else if (can_probe_ && !diagnosing_ && now >= stuck_at(silence) && now >= next_probe_) {
    next_probe_ = after(now, kProbeEvery);
    actions_.emplace_back(StartProbe{});
  }
  return std::exchange(actions_, {});
}

TimePoint Reach::deadline(const Silence& silence) const {
  if (refused_) {
    return kNever;
  }
  const TimePoint probe =
      can_probe_ && !diagnosing_ ? std::max(stuck_at(silence), next_probe_) : kNever;
  return connected_ ? probe : std::min(probe, after(attempt_since_, kAttemptMaxUnprobed));
}

}  // namespace mstune::coordinator
