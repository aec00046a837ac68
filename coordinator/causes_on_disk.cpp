#include "coordinator/causes_on_disk.h"

#include <filesystem>
#include <string>

#include "common/os/file.h"
#include "common/os/new_file.h"
#include "coordinator/documents.h"
#include "coordinator/trial_cause.h"

namespace mstune::coordinator {

void name_causes_on_disk(const RunDirectory& run, const CampaignDocument& campaign,
                         std::vector<EvaluatedTrial>& trials) {
  name_causes(campaign, trials);
  for (const EvaluatedTrial& trial : trials) {
    const std::filesystem::path path = run.trial_directory(trial.trial) / "trial.json";
    if (!std::filesystem::exists(path)) {
      continue;
    }
    const std::string text = os::read_file(path);
    if (std::string named = with_cause(text, trial.evaluation.cause); named != text) {
      os::write_file_atomically(path, named);
    }
  }
}

}  // namespace mstune::coordinator
