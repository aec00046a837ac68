// What happens while a campaign runs, for whoever shows it: plain lines, lines of JSON, a live
// view.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/plan.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct CampaignBegun {
  std::vector<Candidate> candidates;
  std::uint64_t rounds = 0;  // of each candidate, as asked for
  std::string run_directory;
};
struct TrialsPlanned {
  std::size_t trials = 0;   // that are known from now on, in addition
  bool open_ended = false;  // more may follow
};
struct BuildBegun {
  Candidate candidate;
};
struct BuildDone {
  Candidate candidate;
  double seconds = 0.0;
  std::string path;
};
struct BuildLost {
  Candidate candidate;
  std::string output_tail;  // the last lines that it printed
};
struct UploadDone {
  Candidate candidate;
  std::uint64_t size = 0;  // bytes of the OM
  std::uint64_t sent = 0;  // bytes that the agent lacked
};
struct TrialBegun {
  Trial trial;
  std::string command;
};
struct StepsSeen {  // of a trial that runs
  Trial trial;
  std::uint64_t steps = 0;
  double median_us = 0.0;  // of the latest
};
struct TrialDone {
  EvaluatedTrial trial;
  std::string output_tail;
};
struct Decided {
  Message what;
};
struct Noted {
  Message what;
};

using ProgressEvent = std::variant<CampaignBegun, TrialsPlanned, BuildBegun, BuildDone, BuildLost,
                                   UploadDone, TrialBegun, StepsSeen, TrialDone, Decided, Noted>;

// The event as lines for a person, each with its '\n', in the language of this process; empty where
// there is nothing to read. Without control characters, but for those that a program printed.
std::string plain_text(const ProgressEvent& event);

// The event as one line of JSON with its '\n' (docs/schema/event.schema.json).
std::string json_line(const ProgressEvent& event);

// The line that ends a campaign.
std::string finished_line(const Ranking& ranking, const std::string& run_directory);

}  // namespace mstune::coordinator
