// Whether the GE of a CANN can record steps: the text of its record stands in a library of its
// runtime. Reads files only; loads and runs nothing.
#pragma once

#include <string>
#include <vector>

#include "common/box_facts.h"
#include "common/time.h"

namespace mstune::os {

// kRecorderPresent, kRecorderAbsent, or empty when no such library is in `directories` or it could
// not be read in `limit`. Source: GE's step recorder is part of libdavinci_executor.so, and of
// libge_executor.so where that is linked statically.
std::string look_for_recorder(const std::vector<std::string>& directories, Duration limit);

// The same for the toolkit of an environment, in a few seconds at most. Reads some 100 MB: not
// while something is measured here.
std::string recorder_of(const Variables& variables);

}  // namespace mstune::os
