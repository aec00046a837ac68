// The agents and devices of a campaign that has more than one device: facts for the documents, and
// whether they fit together. Pure.
//
// A device of a campaign is what one trial has for itself: one device of an agent, or several where
// a launcher wants that (devices_per_trial).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/message.h"

namespace mstune::coordinator {

enum class Spread {
  share,      // the rounds are divided among the devices
  replicate,  // every device runs all rounds
};

// "share", "replicate": the word in options and documents.
std::string_view word(Spread spread);
std::optional<Spread> parse_spread(std::string_view text);

struct AgentRecord {
  std::string target;  // "npu-a:18600", as it was asked for
  std::string host;    // what it calls itself; empty: it never answered
  std::string cann_version;
  std::string driver_version;
  std::string architecture;
  std::string boot_id;
  std::string state = "never_answered";  // or "ready", "gone", "given_up"
  std::string why;                       // of given_up
};

struct DeviceRecord {
  std::uint32_t number = 0;       // in the campaign, from 0
  std::uint32_t agent = 0;        // its place in Fleet::agents
  std::vector<std::int32_t> ids;  // logic ids there; empty: device selection is left alone
  std::string chip;               // "Ascend910B2"; empty: not known
  std::string why;                // given up; empty: in use
};

struct Fleet {
  Spread spread = Spread::share;
  std::vector<AgentRecord> agents;
  std::vector<DeviceRecord> devices;
};

// "device 3 (npu-a, device 1, Ascend910B2)": for people.
std::string title(const Fleet& fleet, const DeviceRecord& device);

struct Mismatch {
  Message what;
  bool refusal = false;  // comparing would be wrong; otherwise only worth knowing
};

struct MatchRules {
  bool offline = false;
  std::string build_cann_version;  // of this machine, where OMs are built; empty: not known
};

// What does not fit among agents that have answered; what an agent does not tell fits everything.
// CANN versions "must match across the build machine, the OM and the target" (the sample's README).
std::vector<Mismatch> mismatches(const Fleet& fleet, const MatchRules& rules);

// What is there now and was not when the campaign was begun: trials before and after could not be
// compared. Devices are those of the same numbers; what was not told before or is not told now fits
// everything.
std::vector<Mismatch> changes(const Fleet& before, const Fleet& now);

// Why an OM of this name cannot run on that architecture: atc puts "_<os>_<architecture>" into the
// names of dynamic-shape models. Nothing where the name has no such suffix.
std::optional<Message> om_mismatch(std::string_view om_name, const AgentRecord& agent);

}  // namespace mstune::coordinator
