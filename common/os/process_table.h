// /proc as lists of processes: looks only, decides nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/os/tree_ending.h"

namespace mstune::os {

// One pass over /proc, zombies included. `marked` are those whose environment holds the entry
// `cookie`, as it was when they were executed; empty: none. Those that started before
// `since_ticks` (see ProcessKey) and those of other users are never marked.
std::vector<ProcessInfo> list_processes(std::string_view cookie, std::uint64_t since_ticks = 0);

// The same for this process's descendants alone, at the cost of these alone; nothing where the
// kernel lists no children (CONFIG_PROC_CHILDREN). One that ends at the wrong moment can hide a
// sibling from one look: look twice before believing that nobody is there.
std::optional<std::vector<ProcessInfo>> list_descendants(std::string_view cookie,
                                                         std::uint64_t since_ticks = 0);

// All that descend from `root`, zombies included, without it; none of them marked. Nothing where
// there is no /proc.
std::optional<std::vector<ProcessInfo>> list_below(pid_t root);

// The process that has this number now; false when there is none.
bool look_up(pid_t id, ProcessInfo& result);

}  // namespace mstune::os
