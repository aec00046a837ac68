// Which protocol this is, and what beyond its fields a peer can be asked for.
#pragma once

#include <cstdint>

namespace mstune::protocol {

inline constexpr std::uint32_t kMajor = 2;
inline constexpr std::uint32_t kMinor = 0;
// That a coordinator still speaks: agents of version 1 differ from those of 2 only by what
// take_up_version_1() (earlier_version.h) puts right, and in that they take a pass in one piece.
inline constexpr std::uint32_t kOldestMajor = 1;

// Names in `capabilities`: what must not be passed over by a peer that does not know it. It is
// asked for only where the other side names it, and refused with a sentence otherwise.
inline constexpr const char* kCanRunInstances = "instances";  // TrialSpec::instances above 1
inline constexpr const char* kCanKeepCaches = "cache";        // TrialSpec::cache
inline constexpr const char* kCanRenewPasses = "renew_pass";  // ManagePass with kPassRenew

}  // namespace mstune::protocol
