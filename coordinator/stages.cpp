#include "coordinator/stages.h"

#include <algorithm>

#include "coordinator/inference/refine.h"
#include "coordinator/joint_ranking.h"
#include "coordinator/shown_words.h"

namespace mstune::coordinator {
namespace {

bool any_valid_in_round(const std::vector<EvaluatedTrial>& done, int round) {
  return std::any_of(done.begin(), done.end(), [round](const EvaluatedTrial& trial) {
    return trial.trial.repeat == round && trial.evaluation.valid;
  });
}

// Those with data, the fastest first, without those that compute something else.
std::vector<Candidate> ranked_candidates(const Ranking& ranking) {
  std::vector<Candidate> ranked;
  for (const Summary& summary : ranking.summaries) {
    if (summary.steps > 0 && !ranking.confidence.candidates.at(summary.candidate).result.vetoed) {
      ranked.push_back(summary.candidate);
    }
  }
  return ranked;
}

// The fastest neighbour that is better than the centre by more than the noise.
std::optional<Candidate> better(const std::vector<EvaluatedTrial>& done,
                                const std::vector<Candidate>& candidates, const Candidate& centre,
                                const std::vector<Candidate>& neighbours) {
  const RoundTable table = round_table(run_figures(done), candidates);
  std::vector<std::size_t> places;
  for (const Candidate& neighbour : neighbours) {
    places.push_back(place_of(table.candidates, neighbour));
  }
  CriticalPoints points;
  const auto found = better_neighbour(Layout(table.candidates.size(), table.runs), points,
                                      place_of(table.candidates, centre), places);
  return found ? std::optional<Candidate>(table.candidates[*found]) : std::nullopt;
}

Message decision_message(const Decision& decision, const Look& look,
                         const std::vector<Candidate>& candidates) {
  const std::string who = name(candidates[decision.candidate]);
  const mstune::Progress& after = decision.after;
  if (after.behind && decision.lag) {
    return message("look.behind", "{} is dropped: {} is {} times as fast as it", who,
                   name(candidates[look.leader]), interval_message(*decision.lag));
  }
  if (after.standing == Standing::below_threshold) {
    return message("look.below", "{} is dropped: {} times as fast as default, below 1.05", who,
                   interval_message(*after.interval));
  }
  if (after.standing == Standing::proven) {
    return message("look.proven", "{} is proven: {} times as fast as default", who,
                   interval_message(*after.interval));
  }
  return message(
      "look.open", "{} is open: {} times as fast as default", who,
      after.interval ? interval_message(*after.interval) : message("word.unknown", "unknown"));
}

}  // namespace

std::vector<Message> look_messages(const Look& look, const std::vector<Candidate>& candidates) {
  std::vector<Message> said;
  if (!look.decisions.empty()) {
    said.push_back(message("look.leader", "after {} rounds {} leads", look.rounds,
                           name(candidates[look.leader])));
  }
  for (const Decision& decision : look.decisions) {
    said.push_back(decision_message(decision, look, candidates));
  }
  return said;
}

Stages::Stages(const CampaignDocument& campaign)
    : campaign_(campaign),
      looking_(campaign.max_repeat.has_value() && campaign.candidates.size() > 1),
      refining_(campaign.refine),
      confirming_(campaign.confirm_rounds > 0) {}

bool Stages::open_ended() const {
  return looking_ || refining_ || confirming_;
}

std::vector<Trial> Stages::first() {
  std::vector<Trial> trials;
  for (std::uint64_t round = 0; round < campaign_.repeat; ++round) {
    add_round(campaign_.candidates, trials);
  }
  return trials;
}

void Stages::add_round(const std::vector<Candidate>& participants, std::vector<Trial>& trials) {
  const auto round = trials_of_round({participants, ++round_, campaign_.control, stage_},
                                     campaign_.order, next_index_);
  next_index_ += static_cast<std::uint32_t>(round.size());
  trials.insert(trials.end(), round.begin(), round.end());
}

NextTrials Stages::next(const std::vector<EvaluatedTrial>& done) {
  NextTrials next;
  if (looking_) {
    look(done, next);
  }
  if (next.trials.empty() && refining_) {
    refine(done, next);
  }
  if (next.trials.empty() && confirming_) {
    confirm(done, next);
  }
  return next;
}

// Devices that joined later take part in later looks only, also when the looks are taken again.
std::size_t Stages::devices_at_look() {
  if (looks_ == campaign_.devices_at_looks.size()) {
    campaign_.devices_at_looks.push_back(campaign_.fleet ? campaign_.fleet->devices.size() : 1);
  }
  return campaign_.devices_at_looks[looks_++];
}

void Stages::look(const std::vector<EvaluatedTrial>& done, NextTrials& next) {
  const auto stage = static_cast<std::size_t>(stage_);
  const RoundTable table =
      stage_table(run_figures(done), stage_members(done, campaign_.candidates), stage);
  CriticalPoints points;
  const LooksTaken taken =
      take_looks(table, looking_rules(confidence_rules(campaign_), stage), points);
  next.said = look_messages(taken.last, table.candidates);
  std::vector<Candidate> participants;
  for (const std::size_t place : taken.last.next_round) {
    participants.push_back(table.candidates[place]);
  }
  if (!any_valid_in_round(done, round_)) {
    next.said.push_back(
        message("look.nothing_valid", "no more rounds: nothing in round {} is valid", round_));
  } else if (participants.empty()) {
    const bool settled = std::all_of(taken.progress.begin() + 1, taken.progress.end(),
                                     [](const auto& each) { return each.settled(); });
    next.said.push_back(settled
                            ? message("look.settled", "no more rounds: every candidate is settled")
                            : message("look.bound", "no more rounds: --max-repeat {} is reached",
                                      *campaign_.max_repeat));
  } else if (rounds_of_stage() >= static_cast<int>(*campaign_.max_repeat)) {
    next.said.push_back(
        message("look.bound", "no more rounds: --max-repeat {} is reached", *campaign_.max_repeat));
  } else {
    next.said.push_back(
        message("look.next", "round {} runs {}", round_ + 1, name_list(participants)));
    // Each device takes a round: one look follows upon all of them.
    const std::size_t devices = devices_at_look();
    for (std::size_t i = 0;
         i < devices && rounds_of_stage() < static_cast<int>(*campaign_.max_repeat); ++i) {
      add_round(participants, next.trials);
    }
    return;
  }
  looking_ = false;
}

void Stages::refine(const std::vector<EvaluatedTrial>& done, NextTrials& next) {
  const Ranking ranking = rank_run(campaign_, done);
  std::vector<Candidate> ranked = ranked_candidates(ranking);
  if (centre_) {
    const auto found = better(done, campaign_.candidates, centre_->candidate, centre_->neighbours);
    if (!found) {
      next.said.push_back(message("refine.no_better",
                                  "refined: no neighbour is better than {} by more than noise",
                                  name(centre_->candidate)));
      refining_ = false;
      return;
    }
    next.said.push_back(message("refine.better", "refined: {} is better than {} by more than noise",
                                name(*found), name(centre_->candidate)));
    std::stable_partition(ranked.begin(), ranked.end(),
                          [&](const Candidate& candidate) { return candidate == *found; });
  }
  const std::vector<Candidate> neighbours = refinement(ranked, campaign_.candidates);
  if (neighbours.empty()) {
    next.said.push_back(message("refine.nothing", "nothing to refine: no neighbour is left"));
    refining_ = false;
    return;
  }
  centre_ = {ranked.front(), neighbours};
  next.candidates = neighbours;
  campaign_.candidates.insert(campaign_.candidates.end(), neighbours.begin(), neighbours.end());
  std::vector<Candidate> participants{kDefaultCandidate, ranked.front()};
  participants.insert(participants.end(), neighbours.begin(), neighbours.end());
  next.said.push_back(message("refine.next", "refining around {}: {}", name(ranked.front()),
                              name_list(neighbours)));
  ++stage_;
  rounds_before_stage_ = round_;
  looking_ = campaign_.max_repeat.has_value();
  for (std::uint64_t round = 0; round < campaign_.repeat; ++round) {
    add_round(participants, next.trials);
  }
}

void Stages::confirm(const std::vector<EvaluatedTrial>& done, NextTrials& next) {
  confirming_ = false;
  const Candidate best = winner(rank_run(campaign_, done));
  if (best == kDefaultCandidate) {
    next.said.push_back(
        message("confirm.nothing", "nothing to confirm: default is the recommendation"));
    return;
  }
  next.said.push_back(message("confirm.next", "confirming {} against default in {} fresh rounds",
                              name(best), campaign_.confirm_rounds));
  next.trials = confirming_trials({best, campaign_.confirm_rounds}, campaign_.order, next_index_);
  next_index_ += static_cast<std::uint32_t>(next.trials.size());
}

}  // namespace mstune::coordinator
