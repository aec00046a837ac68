// The fork and exec behind Process. Only process.cpp needs it.
#pragma once

#include <sys/types.h>

#include "common/os/process.h"

namespace mstune::os {

// Starts the program with `output` as its stdout and stderr and returns its id once exec has
// succeeded. Throws the errors that Process documents; then nothing is left to reap.
pid_t start_program(const SpawnRequest& request, int output);

}  // namespace mstune::os
