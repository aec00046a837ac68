#include "coordinator/build_outputs.h"

#include <filesystem>

#include "coordinator/output_end.h"

namespace mstune::coordinator {

std::vector<std::string> build_outputs(const RunDirectory& run, const CampaignDocument& campaign) {
  constexpr std::size_t kOutputsMax = 32;  // one says what the others would say again
  std::vector<std::string> outputs;
  if (!campaign.compile_command) {
    return outputs;
  }
  // --om-dir may hold logs of other campaigns, which say nothing about this one.
  const std::string& chosen = campaign.surroundings.om_directory;
  const std::filesystem::path om_directory =
      chosen.empty() ? run.path() / "om" : std::filesystem::path(chosen);
  for (const Candidate& candidate : campaign.candidates) {
    if (outputs.size() == kOutputsMax) {
      break;
    }
    std::string output = output_end(build_log(om_directory, candidate));
    if (!output.empty()) {
      outputs.push_back(std::move(output));
    }
  }
  return outputs;
}

}  // namespace mstune::coordinator
