// The JSON and CSV documents of a run directory: text in, values out, and back. Pure.
//
// Field names are those that users of the sample know. Strings from a log or a command may hold
// any bytes: what is not UTF-8 is replaced, never an error. A figure that does not exist is null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"
#include "protocol/trial_events.h"

namespace mstune::coordinator {

// "when" of a reading of meters in trial.json.
inline constexpr const char* kBefore = "before";
inline constexpr const char* kAfter = "after";

// A trial as its trial.json or the list in summary.json knows it; the evaluation is made anew.
struct SavedTrial {
  std::optional<std::uint32_t> index;  // the sample has none: the order says it
  std::string config;                  // as it is written there, "LoadBalance:04"
  Trial trial;
  std::uint32_t attempt = 1;
  TrialOutcome outcome;                     // reasons are those from outside
  std::optional<std::uint64_t> step_count;  // distinct steps of all objects, when it was evaluated
};

struct SavedSummary {
  CampaignDocument campaign;
  std::vector<SavedTrial> trials;
};

std::string campaign_json(const CampaignDocument& campaign);
// What its program printed, as far as trial.json tells it.
struct ProgramOutput {
  std::uint64_t dropped_bytes = 0;  // that stdout.log lacks
  std::string tail;                 // the last lines; told where the trial does not count
};

std::string trial_json(const EvaluatedTrial& trial,
                       const std::optional<ProgramOutput>& output = std::nullopt);
// A trial.json with this cause, and all else as it is; the very text where it has this one, also
// where it has none and says nothing of it. Throws as nlohmann does where it is none.
std::string with_cause(std::string_view trial_json, const std::optional<Reason>& cause);
// Of an attempt that came to nothing, in the directory where it is kept.
std::string attempt_json(const Trial& trial, std::uint32_t attempt, const Message& why);
std::string summary_json(const CampaignDocument& campaign, const Ranking& ranking,
                         const std::vector<EvaluatedTrial>& trials);
std::string summary_csv(const Ranking& ranking);

// They throw an environment error that names `path` and what is wrong with it.
CampaignDocument parse_campaign(std::string_view text, std::string_view path);
SavedTrial parse_trial(std::string_view text, std::string_view path);
SavedSummary parse_summary(std::string_view text, std::string_view path);

}  // namespace mstune::coordinator
