// A run directory on disk, judged and ranked again: what analyze, report, export and compare read.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "coordinator/ranking.h"
#include "coordinator/saved_run.h"
#include "coordinator/step_set.h"

namespace mstune::coordinator {

struct EvaluatedRun {
  std::filesystem::path directory;
  CampaignDocument campaign;
  std::vector<EvaluatedTrial> trials;  // in the order of their indices
  Ranking ranking;
  std::vector<Message> notes;  // what a person should know about the directory
};

// One trial from its logs. `plain`: its directory is a log, or one of logs, that somebody kept.
// `seen` is handed the steps before they are gone. Throws an environment error that names the file
// that cannot be read.
EvaluatedTrial evaluate_on_disk(const TrialOnDisk& trial, const CampaignDocument& campaign,
                                bool plain, const std::function<void(const StepSet&)>& seen = {});

// With the gates and rules that the campaign had. Errors as those of read_saved_run().
EvaluatedRun read_evaluated_run(const std::filesystem::path& directory);

}  // namespace mstune::coordinator
