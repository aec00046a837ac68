// The JSON and CSV documents of a run directory: text in, values out, and back. Pure.
//
// Field names are those that users of the sample know. Strings from a log or a command may hold
// any bytes: what is not UTF-8 is replaced, never an error. A figure that does not exist is null.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/fleet.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// "when" of a reading of meters in trial.json.
inline constexpr const char* kBefore = "before";
inline constexpr const char* kAfter = "after";

// Where and how it ran: what is needed to run there once more (mstune confirm).
struct Surroundings {
  std::string target_file;                // absolute; empty: this machine, or not known
  std::vector<std::string> target_files;  // all of them, where there is more than one
  std::string working_directory;          // of the program on this machine; empty with a target
  std::string om_directory;               // absolute; empty: that of the run directory
  double timeout_s = 1800;                // 0: none
};

// What was asked for: campaign.json at the start, and the head of summary.json.
struct CampaignDocument {
  std::string mode = "online";
  std::string command;
  std::optional<std::string> compile_command;
  std::optional<std::string> target_host;
  std::uint64_t repeat = 0;
  Gates gates;
  std::vector<Candidate> candidates;
  Order order{OrderKind::fixed, 0};         // of the trials within a round; the sample's is fixed
  std::optional<std::uint64_t> max_repeat;  // --until-proven: its bound; empty: fixed rounds
  bool control = false;                     // --aa
  bool refine = false;
  int confirm_rounds = 0;      // --confirm; 0: none
  std::string digest_pattern;  // empty: results are not compared
  std::optional<Fleet> fleet;  // of a campaign with more than one device
  Surroundings surroundings;
  // Of what took part, as far as it is known: "mstune", "agent", "cann", "host", ...
  std::map<std::string, std::string> versions;
  std::string session_id;  // of the coordinator, as agents know it; campaign.json alone has it
};

// How the campaign's looks at its evidence were planned; --repeat rounds come before the first.
ConfidenceRules confidence_rules(const CampaignDocument& campaign);

// A trial as its trial.json or the list in summary.json knows it; the evaluation is made anew.
struct SavedTrial {
  std::optional<std::uint32_t> index;  // the sample has none: the order says it
  std::string config;                  // as it is written there, "LoadBalance:04"
  Trial trial;
  std::uint32_t attempt = 1;
  TrialOutcome outcome;  // reasons are those from outside
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
