// /proc as lists of processes: looks only, decides nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/os/tree_ending.h"

namespace mstune::os {

// One pass over /proc, zombies included. `marked` are those whose environment holds the entry
// `cookie`, as it was when they were executed; empty: none. Those that started before
// `since_ticks` (see ProcessKey) and those of other users are never marked.
std::vector<ProcessInfo> list_processes(std::string_view cookie, std::uint64_t since_ticks = 0);

// The process that has this number now; false when there is none.
bool look_up(pid_t id, ProcessInfo& result);

}  // namespace mstune::os
