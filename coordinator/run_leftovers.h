// What crashes left in a run directory, put in order by whoever goes on there and holds its lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/documents.h"
#include "coordinator/run_directory.h"
#include "coordinator/saved_run.h"

namespace mstune::coordinator {

// Removes half-written files and what belongs to trials that run, from those that have ended, and
// gives each attempt that was moved apart the document that says why, where a crash came between.
void remove_leftovers(const RunDirectory& directory);

// The trial of an attempt's directory, as far as its name tells: "trial_007_cv_control_r2_d3_a1".
std::optional<Trial> trial_of_directory(std::string_view name);

// A trial that has ended, from its logs. Its steps.csv is made again where it is not what steps.log
// holds. Nothing, and the reason in `why`, where the logs hold fewer steps than the trial had: then
// it has to be run again.
std::optional<EvaluatedTrial> evaluate_whole(const TrialOnDisk& trial,
                                             const CampaignDocument& campaign,
                                             std::optional<Message>& why);

}  // namespace mstune::coordinator
