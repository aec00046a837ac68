// Which keys this user has, and those for the agent of a target.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/os/curve.h"

namespace mstune::coordinator {

struct Target;

// Where this user's own key is unless it is said: $XDG_CONFIG_HOME/mstune/id.key, or below
// ~/.config.
std::filesystem::path default_identity(const std::vector<std::string>& environment);

// The keys for a target's agent; nothing for one that is insecure. Throws when there is no usable
// key of our own.
std::optional<os::ConnectSecurity> security_for(const Target& target,
                                                const std::vector<std::string>& environment);

}  // namespace mstune::coordinator
