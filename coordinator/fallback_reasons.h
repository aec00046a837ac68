// What GE's own lines in a trial's files mean for the trial. Pure but for the reading of files.
#pragma once

#include <filesystem>
#include <vector>

#include "common/ge_fallback.h"
#include "coordinator/evaluation.h"

namespace mstune::coordinator {

// Of a log file, or of all files below a directory. Throws an environment error that names the file
// that cannot be read.
std::vector<GeFallback> read_fallbacks(const std::filesystem::path& path);

// Adds them to why the trial does not count, but those that the agent has told already.
void add_fallbacks(const std::vector<GeFallback>& found, TrialOutcome& outcome);

}  // namespace mstune::coordinator
