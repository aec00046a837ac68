// Whether an agent's address can be reached, as a pure machine: whom to blame for attempts that
// fail, when to look who greets there, and when to begin a connection anew.
//
// A broken way is not told from a wrong key by what becomes of a handshake: both end it. So a key
// that has worked is never blamed, and before that only when a plain look shows that something
// greets there. ZeroMQ tries again by itself in most cases; where it waits for what will not come,
// a look at the address that succeeds is the sign that a new connection would get through.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "common/connect_event.h"
#include "common/message.h"
#include "common/time.h"

namespace mstune::coordinator {

struct StartProbe {};
struct ConnectAnew {};
struct ReachLost {  // for now: what ends or swallows connections there may let them through again
  Message why;
};
struct ReachRefused {  // it is of no use to go on
  Message why;
};
using ReachAction = std::variant<StartProbe, ConnectAnew, ReachLost, ReachRefused>;

// What is waited for over the connection that is there.
struct Silence {
  TimePoint asked = kNever;  // what was asked first and not followed by anything; kNever: nothing
  bool is_bulky = false;     // files are under way, which may take a slow way long
};

class Reach {
 public:
  // `client` is the name of our own key; empty without keys. Where `can_probe` is false nobody can
  // look at the address.
  Reach(std::string endpoint, std::string client, bool can_probe, TimePoint now)
      : endpoint_(std::move(endpoint)),
        client_(std::move(client)),
        can_probe_(can_probe),
        attempt_since_(now),
        next_probe_(now) {}

  // The pinned key has worked, now or in the run that goes on.
  void trust() { trusted_ = true; }
  [[nodiscard]] bool is_trusted() const { return trusted_; }

  std::vector<ReachAction> handle(ConnectEvent event, TimePoint now);
  std::vector<ReachAction> handle(ProbeResult result, const Silence& silence, TimePoint now);
  // Something arrived.
  void heard(const Silence& silence, TimePoint now);
  std::vector<ReachAction> tick(const Silence& silence, TimePoint now);
  [[nodiscard]] TimePoint deadline(const Silence& silence) const;

 private:
  [[nodiscard]] TimePoint stuck_at(const Silence& silence) const;
  [[nodiscard]] Duration patience(const Silence& silence) const;
  [[nodiscard]] bool knows_pauses() const { return longest_pause_ > Duration::zero(); }
  void take_failed_handshake(TimePoint now);
  void judge(ProbeResult result, TimePoint now);
  void connect_anew(TimePoint now);
  void begin_diagnosis_again();
  void refuse(Message why);
  [[nodiscard]] Message broken_off() const;

  std::string endpoint_;
  std::string client_;
  bool can_probe_;
  bool trusted_ = false;
  bool refused_ = false;

  // the connection
  bool connected_ = false;
  TimePoint attempt_since_;  // while not connected: the last that was told of an attempt
  TimePoint next_probe_;     // not before
  TimePoint last_anew_ = TimePoint::min();
  int anew_in_a_row_ = 0;  // since nothing was amiss for a while
  int anew_in_vain_ = 0;   // since one came about
  TimePoint last_heard_ = kNever;
  Duration longest_pause_ = Duration::zero();  // between two messages while files were under way

  // the diagnosis, while the key has not worked
  TimePoint first_failure_ = kNever;  // of handshakes in a row
  bool diagnosing_ = false;           // a probe is to tell
  TimePoint greeted_at_ = kNever;     // then it told that something greets there
  int failures_since_ = 0;            // handshakes, since it did
  std::vector<ReachAction> actions_;
};

}  // namespace mstune::coordinator
