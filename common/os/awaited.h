// Children that somebody has still to reap (is_awaited() in process.h tells): reap_orphans() must
// not take their exit status away.
//
// The kernel's list of children belongs to the whole program, and so does this one. Only the
// classes that own a child need it.
#pragma once

#include <sys/types.h>

namespace mstune::os {

void add_awaited(pid_t id);
void remove_awaited(pid_t id);

}  // namespace mstune::os
