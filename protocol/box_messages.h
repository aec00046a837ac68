// What a coordinator asks an agent about its machine, and the tuning pass there. Plain data.
//
//   Examine                               Examined
//   ManagePass + payload (the library)    PassManaged
//
// A library of more than kPayloadBytesMax comes in several ManagePass, one after the other; the
// last one is answered. Both wait for set_env.sh on the agent's machine, so the answer may take
// seconds. They are not repeated by anybody: who asked over a connection that was lost asks again.
#pragma once

#include <cstdint>
#include <string>

#include "common/box_facts.h"
#include "protocol/messages.h"

namespace mstune::protocol {

struct Examine {
  std::string cann_env;  // a set_env.sh on the agent's machine; empty: the agent's own environment
};

struct Examined {
  BoxFacts facts;
  Message failure;  // text is empty unless nothing could be looked at
};

inline constexpr const char* kPassInstall = "install";  // to stay
inline constexpr const char* kPassRemove = "remove";
inline constexpr const char* kPassRemoveSamples = "remove-samples";  // what CANN's sample left
// For a campaign: until `release`, or until its holder has neither renewed it nor had a trial there
// for the agent's grace time, or until the agent ends. One that stays is left alone.
inline constexpr const char* kPassHold = "hold";
inline constexpr const char* kPassRenew = "renew";  // answered only when it is not held any more
inline constexpr const char* kPassRelease = "release";

struct ManagePass {
  std::string action;  // kPass...
  std::string cann_env;
  std::string hold;          // the holder's name for what `hold` and `release` are about
  std::uint64_t offset = 0;  // of the payload in the library
  std::uint64_t size = 0;    // of the library; 0: the payload is all of it
};

struct PassManaged {
  std::string path;        // of the library on the agent's machine; of each one, by commas
  bool was_there = false;  // before: to stay (hold, install), or at all (remove, release)
  Message failure;         // text is empty when it was done
};

}  // namespace mstune::protocol
