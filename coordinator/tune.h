// `mstune tune`: from options to a ranked recommendation.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "coordinator/preparation.h"
#include "coordinator/tune_options.h"

namespace mstune::coordinator {

// `environment` is this process's ("NAME=value"). Returns the exit status: 0 some candidate has
// data, 1 none has, 130 interrupted; throws a usage or environment error for status 2.
int tune(const TuneOptions& options, const std::vector<std::string>& environment,
         std::ostream& out);

// Runs its trials and those that `stages` add, on the target or on an agent of our own.
SessionResult run(Preparation& preparation, Stages& stages, const RunDirectory& directory,
                  Progress& progress);

}  // namespace mstune::coordinator
