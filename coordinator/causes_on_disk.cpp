#include "coordinator/causes_on_disk.h"

#include <filesystem>
#include <optional>

#include "common/os/file.h"
#include "common/os/new_file.h"
#include "coordinator/documents.h"
#include "coordinator/trial_cause.h"

namespace mstune::coordinator {
namespace {

std::string code_of(const std::optional<Reason>& cause) {
  return cause ? cause->code : std::string();
}

}  // namespace

void name_causes_on_disk(const RunDirectory& run, const CampaignDocument& campaign,
                         std::vector<EvaluatedTrial>& trials) {
  std::vector<std::string> before;
  for (const EvaluatedTrial& trial : trials) {
    before.push_back(code_of(trial.evaluation.cause));
  }
  name_causes(campaign, trials);
  for (std::size_t at = 0; at < trials.size(); ++at) {
    const std::filesystem::path path = run.trial_directory(trials[at].trial) / "trial.json";
    if (code_of(trials[at].evaluation.cause) != before[at] && std::filesystem::exists(path)) {
      os::write_file_atomically(path, with_cause(os::read_file(path), trials[at].evaluation.cause));
    }
  }
}

}  // namespace mstune::coordinator
