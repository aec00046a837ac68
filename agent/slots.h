// Who has a device and who gets the next one: pure, and used by the desk only.
//
// A device belongs to one trial at a time, whoever the clients are. Those who wait take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/time.h"
#include "protocol/agent_messages.h"

namespace mstune::agent {

class Slots {
 public:
  // One slot for each logic id; one that leaves device selection alone when there are none.
  explicit Slots(const std::vector<int>& devices);

  // `client` is the name of a key, or empty.
  // It waits until `until` at the longest: see overdue().
  // `wanted` are the logic ids that it needs, all of them; empty for whichever is free.
  void wait(const protocol::TrialKey& key, const std::string& client, TimePoint now,
            TimePoint until = kNever, std::vector<int> wanted = {});
  void stop_waiting(const protocol::TrialKey& key);
  // The trial is no more. `stuck`: its processes are, so that its device cannot be used until
  // recover() says that they are gone, too.
  void release(const protocol::TrialKey& key, bool stuck);
  void recover(const protocol::TrialKey& key);

  struct Grant {
    protocol::TrialKey key;
    std::vector<int> devices;  // empty: device selection is left alone
  };
  // Whether give_out() would give anything.
  [[nodiscard]] bool can_give_out() const;
  // Gives free devices to those who wait. Not first come, first served: a client that sends a
  // hundred trials at once would have the box for itself. Next is the oldest trial of the client
  // whose last turn is longest ago (of the campaign, where clients have no names).
  std::vector<Grant> give_out(TimePoint now);

  struct Trial {
    protocol::TrialKey key;
    std::string client;
    TimePoint since{};
    TimePoint until = kNever;  // meaningless once it has a device
    std::vector<int> wanted = {};
  };
  [[nodiscard]] const std::deque<Trial>& waiting() const { return waiting_; }
  // Those who wait for a device that is not offered, or that cannot be used any more.
  [[nodiscard]] std::vector<protocol::TrialKey> hopeless() const;

  // Whose trials have the devices, for people: "ann, bob".
  [[nodiscard]] std::string holders() const;
  // Of those which have what this one waits for, as far as they are of other campaigns: a campaign
  // that fills the devices by itself waits for nobody.
  [[nodiscard]] std::string others_before(const protocol::TrialKey& key) const;
  [[nodiscard]] std::vector<protocol::DeviceCondition> conditions(TimePoint now) const;

 private:
  struct Slot {
    std::optional<int> device;
    std::optional<Trial> holder;
    std::optional<protocol::TrialKey> stuck = {};  // whose processes make it unusable
  };

  static bool wants(const Trial& trial, const Slot& slot);
  [[nodiscard]] bool offers(int device) const;
  // The places of the slots that it can have now; empty: not all that it wants are free.
  [[nodiscard]] std::vector<std::size_t> free_for(const Trial& trial) const;

  std::vector<Slot> slots_;
  std::deque<Trial> waiting_;                   // as they came
  std::map<std::string, std::uint64_t> turns_;  // when each party last got a slot, counted
  std::uint64_t turn_ = 0;
};

}  // namespace mstune::agent
