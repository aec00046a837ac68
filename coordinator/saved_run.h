// A run directory on disk, ours or the sample driver's → the campaign and its trials.
//
// Reads only. Used by analyze, and by whoever goes on with a run that was interrupted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/documents.h"

namespace mstune::coordinator {

struct TrialOnDisk {
  SavedTrial saved;
  std::filesystem::path directory;  // or, for plain logs, the file or directory that was named
  bool missing = false;             // the list names it, but there is no directory
};

struct SavedRun {
  std::filesystem::path directory;
  CampaignDocument campaign;
  std::vector<TrialOnDisk> trials;  // in the order of their indices
  std::vector<Message> notes;       // what a person should know: "summary.json is missing", ...
};

// "LoadBalance4" → LoadBalance:4, by the rule of file_name() the other way.
std::optional<Candidate> candidate_of_file_name(const std::string& text);

// `directory` may be a run directory or one that holds a single run_... directory. Throws a usage
// error when it is neither, and an environment error that names a file that cannot be used.
SavedRun read_saved_run(const std::filesystem::path& directory);

}  // namespace mstune::coordinator
