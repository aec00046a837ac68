// Which trials come next, once those so far are done: more rounds (--until-proven), neighbours of
// the best (--refine), fresh rounds of the winner against `default` (--confirm).
//
// Pure: trials in, trials and sentences out. The session asks when the dispatcher has nothing left.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct NextTrials {
  std::vector<Candidate> candidates;  // that were not known before
  std::vector<Trial> trials;          // empty: the campaign is complete
  std::vector<Message> said;          // what was decided, and why
};

class Stages {
 public:
  // What is to be done is in the document: repeat, max_repeat, control, refine, confirm_rounds.
  explicit Stages(const CampaignDocument& campaign);

  // The rounds that need no decision.
  std::vector<Trial> first();
  // Those of the document, and those that refining added.
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return campaign_.candidates; }
  // True when next() may bring trials, so that it has to be asked.
  [[nodiscard]] bool open_ended() const;
  // Of a campaign with more than one device: how its trials are compared, and how many rounds run
  // at a time.
  void set_fleet(const Fleet& fleet) { campaign_.fleet = fleet; }
  // CampaignDocument::devices_at_looks as it is now: where it has changed it is to be recorded
  // before any trial that follows from it begins.
  [[nodiscard]] const std::vector<std::size_t>& devices_at_looks() const {
    return campaign_.devices_at_looks;
  }
  // To be called when all trials so far are done; `done` holds every one of them.
  NextTrials next(const std::vector<EvaluatedTrial>& done);

 private:
  struct Centre {  // --refine: who is compared with its neighbours
    Candidate candidate;
    std::vector<Candidate> neighbours;
  };

  void add_round(const std::vector<Candidate>& participants, std::vector<Trial>& trials);
  [[nodiscard]] int rounds_of_stage() const { return round_ - rounds_before_stage_; }
  std::size_t devices_at_look();
  void look(const std::vector<EvaluatedTrial>& done, NextTrials& next);
  void refine(const std::vector<EvaluatedTrial>& done, NextTrials& next);
  void confirm(const std::vector<EvaluatedTrial>& done, NextTrials& next);

  CampaignDocument campaign_;
  std::uint32_t next_index_ = 0;
  int round_ = 0;                // the last one that was asked for
  int stage_ = 0;                // Trial::stage of that one
  int rounds_before_stage_ = 0;  // those of earlier stages
  std::size_t looks_ = 0;        // that planned a round
  bool looking_ = false;
  bool refining_ = false;
  bool confirming_ = false;
  std::optional<Centre> centre_;
};

// What a look of --until-proven decided, in words.
std::vector<Message> look_messages(const Look& look, const std::vector<Candidate>& candidates);

}  // namespace mstune::coordinator
