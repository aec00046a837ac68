// The environment that a process was executed with, and whose process it is.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace mstune::os {

// As /proc/PID/environ has it: "NAME=value" with a NUL behind each. Empty where it has none, or has
// ended; nothing where it may not be read.
std::optional<std::string> environment_of(pid_t process);

// Nothing when it is gone.
std::optional<uid_t> owner_of(pid_t process);

}  // namespace mstune::os
