// A run as one HTML file: everything that the page needs is in it, so that it can be mailed and
// opened without a network. Pure; the page itself is in report_page/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/language.h"
#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct ReportInput {
  const CampaignDocument& campaign;
  const Ranking& ranking;
  const std::vector<EvaluatedTrial>& trials;
  std::string run;  // the name of its directory
};

// Steps that the page shows of one run: an even choice of them, the cheapest and the dearest
// always.
inline constexpr std::size_t kPointsOfRunMax = 400;

// `language` is the one the page opens with; a reader can switch.
std::string report_page(const ReportInput& input, Language language);

// The data of the page, as JSON that may stand inside a script element.
std::string report_data(const ReportInput& input, Language language);

// Numbers of the steps that are shown of a run: ascending, at most `points_max` (at least 2).
std::vector<std::size_t> shown_steps(const std::vector<std::uint64_t>& costs_us,
                                     std::size_t points_max = kPointsOfRunMax);

}  // namespace mstune::coordinator
