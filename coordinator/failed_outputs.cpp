#include "coordinator/failed_outputs.h"

#include <algorithm>
#include <fstream>

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

// Errors stand at the end; one output says what the others would say again.
constexpr std::streamoff kEndBytes = 16 * 1024;
constexpr std::size_t kOutputsMax = 32;

void add_end_of(const fs::path& path, std::vector<std::string>& outputs) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || outputs.size() >= kOutputsMax) {
    return;
  }
  const std::streamoff size = file.tellg();
  const std::streamoff length = std::min(size, kEndBytes);
  std::string text(static_cast<std::size_t>(length), '\0');
  file.seekg(size - length);
  file.read(text.data(), length);
  if (file && !text.empty()) {
    outputs.push_back(std::move(text));
  }
}

}  // namespace

std::vector<std::string> failed_outputs(const RunDirectory& run, const CampaignDocument& campaign,
                                        const std::vector<EvaluatedTrial>& trials) {
  std::vector<std::string> outputs;
  if (campaign.compile_command) {
    // --om-dir may hold logs of other campaigns, which say nothing about this one.
    const std::string& chosen = campaign.surroundings.om_directory;
    const fs::path om_directory = chosen.empty() ? run.path() / "om" : fs::path(chosen);
    for (const Candidate& candidate : campaign.candidates) {
      add_end_of(build_log(om_directory, candidate), outputs);
    }
  }
  for (const EvaluatedTrial& trial : trials) {
    if (!trial.evaluation.valid) {
      add_end_of(run.trial_directory(trial.trial) / "stdout.log", outputs);
    }
  }
  return outputs;
}

}  // namespace mstune::coordinator
