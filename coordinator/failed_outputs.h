// The ends of what failed builds and programs printed, from a run directory: for hints.h. Reads
// only, in bounded memory; what cannot be read is left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coordinator/ranking.h"
#include "coordinator/run_directory.h"

namespace mstune::coordinator {

// `om_directory` holds the logs of builds; empty online.
std::vector<std::string> failed_outputs(const RunDirectory& run,
                                        const std::filesystem::path& om_directory,
                                        const std::vector<EvaluatedTrial>& trials);

}  // namespace mstune::coordinator
