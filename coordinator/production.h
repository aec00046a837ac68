// What to set in production for a candidate: for people (`mstune export`) and as a document
// (--json). Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// GE's option, for sessions and for TorchAir; atc has its own name for it.
inline constexpr std::string_view kSessionOption = "ge.autoMultistreamParallelMode";
inline constexpr std::string_view kAtcOption = "--multi_stream_parallel_mode";

// What somebody who puts the candidate into production should know. Sources: GE's stream_utils.cc
// (values and errors), atc's option register.
std::vector<Message> production_remarks(const Candidate& candidate, const Ranking& ranking);

// Several lines in the language of this process, each with its '\n'.
std::string production_text(const Candidate& candidate, const Ranking& ranking);

// The document of docs/schema/export.schema.json.
std::string production_json(const Candidate& candidate, const Ranking& ranking);

}  // namespace mstune::coordinator
