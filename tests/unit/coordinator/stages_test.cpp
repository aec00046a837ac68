#include "coordinator/stages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "coordinator/joint_ranking.h"

namespace mstune::coordinator {
namespace {

// A box that answers each trial at once with a cost in us that follows from its candidate; 0 fails.
using Costs = std::function<double(const Candidate&)>;

struct Outcome {
  std::vector<EvaluatedTrial> trials;
  std::vector<Candidate> candidates;
  std::vector<std::string> said;  // ids

  [[nodiscard]] int runs_of(const std::string& candidate) const {
    return static_cast<int>(std::count_if(
        trials.begin(), trials.end(),
        [&](const EvaluatedTrial& trial) { return name(trial.trial.candidate) == candidate; }));
  }
  [[nodiscard]] bool has_said(const std::string& id) const {
    return std::find(said.begin(), said.end(), id) != said.end();
  }
};

EvaluatedTrial run(const Trial& trial, const Costs& costs) {
  EvaluatedTrial result{trial, 1, {}, {}, {}};
  result.outcome.exit_code = 0;
  result.evaluation.valid = costs(trial.candidate) > 0;
  // Up to half a percent, uneven.
  const double bump = 0.005 * std::sin(11.0 * trial.index + 5.0 * trial.repeat);
  const auto cost = static_cast<std::uint64_t>(costs(trial.candidate) * (1.0 + bump));
  result.evaluation.costs_us = std::vector<std::uint64_t>(20, cost);
  return result;
}

Outcome play(const CampaignDocument& campaign, const Costs& costs) {
  Stages stages(campaign);
  Outcome outcome;
  std::vector<Trial> trials = stages.first();
  bool more = stages.open_ended();
  for (;;) {
    for (const Trial& trial : trials) {
      CHECK(trial.index == outcome.trials.size());
      outcome.trials.push_back(run(trial, costs));
    }
    if (!more) {
      break;
    }
    const NextTrials next = stages.next(outcome.trials);
    for (const Message& said : next.said) {
      CHECK_FALSE(said.text.empty());
      outcome.said.push_back(said.id);
    }
    trials = next.trials;
    more = !trials.empty();
    REQUIRE(outcome.trials.size() < 2000);
  }
  outcome.candidates = stages.candidates();
  return outcome;
}

CampaignDocument campaign_of(const std::string& configs) {
  CampaignDocument campaign;
  campaign.candidates = candidates_of_list(configs);
  campaign.repeat = 3;
  campaign.order = {OrderKind::random, 5};
  return campaign;
}

Costs costs_of(const std::map<std::string, double>& by_name) {
  return [by_name](const Candidate& candidate) { return by_name.at(name(candidate)); };
}

TEST_CASE("stages: fixed rounds are all there is when nothing else is asked for") {
  CampaignDocument campaign = campaign_of("cv");
  CHECK_FALSE(Stages(campaign).open_ended());
  CHECK(play(campaign, costs_of({{"default", 1e6}, {"cv", 1e6}})).trials.size() == 6);
  campaign.control = true;
  CHECK(play(campaign, costs_of({{"default", 1e6}, {"cv", 1e6}})).trials.size() == 9);
}

TEST_CASE("stages: --until-proven drops who is clearly behind and ends when all is settled") {
  CampaignDocument campaign = campaign_of("LoadBalance:2,LoadBalance:4,cv");
  campaign.max_repeat = 20;
  const Outcome outcome = play(campaign, costs_of({{"default", 1.2e6},
                                                   {"LoadBalance:2", 1.0e6},
                                                   {"LoadBalance:4", 1.11e6},
                                                   {"cv", 1.5e6}}));
  const auto last = outcome.trials.back().trial.repeat;
  CHECK(last < 20);
  CHECK(outcome.runs_of("default") == last);
  CHECK(outcome.runs_of("LoadBalance:2") == last);
  CHECK(outcome.runs_of("cv") <= last);
  CHECK(outcome.has_said("look.leader"));
  CHECK(outcome.has_said("look.behind"));
  CHECK(outcome.said.back() == "look.settled");
  const Ranking ranking = rank(outcome.trials, campaign.candidates, confidence_rules(campaign));
  CHECK(name(ranking.confidence.proven) == "LoadBalance:2");
}

TEST_CASE("stages: --until-proven ends at its bound with what is open") {
  CampaignDocument campaign = campaign_of("LoadBalance:8,cv");
  campaign.max_repeat = 6;
  // cv is exactly on the threshold, which no number of rounds settles; the other one is dropped.
  const Outcome outcome =
      play(campaign, costs_of({{"default", 1.05e6}, {"cv", 1.0e6}, {"LoadBalance:8", 2e6}}));
  CHECK(outcome.runs_of("default") == 6);
  CHECK(outcome.runs_of("cv") == 6);
  CHECK(outcome.runs_of("LoadBalance:8") < 6);
  CHECK(outcome.has_said("look.open"));
  CHECK(outcome.said.back() == "look.bound");
}

TEST_CASE("stages: --until-proven does not go on with a program that always fails") {
  CampaignDocument campaign = campaign_of("cv");
  campaign.max_repeat = 20;
  const Outcome outcome = play(campaign, costs_of({{"default", 0.0}, {"cv", 0.0}}));
  CHECK(outcome.trials.size() == 6);
  CHECK(outcome.said.back() == "look.nothing_valid");
}

TEST_CASE("stages: --refine climbs to the best stream count and stops there") {
  CampaignDocument campaign = campaign_of("LoadBalance:2,LoadBalance:4,MainStream:2");
  campaign.refine = true;
  const Costs valley = [](const Candidate& candidate) {
    if (candidate.strategy == Strategy::load_balance) {
      return 1e6 + 5e4 * std::abs(candidate.streams - 6);
    }
    return candidate.strategy == Strategy::main_stream ? 1.4e6 : 1.5e6;
  };
  const Outcome outcome = play(campaign, valley);
  const std::set<Candidate> tried(outcome.candidates.begin(), outcome.candidates.end());
  for (const char* expected :
       {"LoadBalance:3", "LoadBalance:5", "LoadBalance:6", "LoadBalance:7"}) {
    CAPTURE(expected);
    CHECK(tried.contains(parse_candidate(expected)));
  }
  CHECK_FALSE(tried.contains(parse_candidate("LoadBalance:8")));
  CHECK(outcome.candidates.size() == tried.size());
  CHECK(outcome.said.back() == "refine.no_better");
  CHECK(name(rank(outcome.trials, outcome.candidates).recommended) == "LoadBalance:6");
}

TEST_CASE("stages: --refine goes on after --until-proven, with looks in each stage") {
  CampaignDocument campaign = campaign_of("LoadBalance:2,LoadBalance:4,MainStream:2");
  campaign.refine = true;
  campaign.max_repeat = 8;
  const Costs valley = [](const Candidate& candidate) {
    return candidate.strategy == Strategy::load_balance
               ? 1e6 + 5e4 * std::abs(candidate.streams - 5)
               : (candidate == kDefaultCandidate ? 1.5e6 : 1.4e6);
  };
  const Outcome outcome = play(campaign, valley);
  const std::set<Candidate> tried(outcome.candidates.begin(), outcome.candidates.end());
  CHECK(tried.contains(parse_candidate("LoadBalance:6")));
  CHECK_FALSE(tried.contains(parse_candidate("LoadBalance:7")));
  CHECK(outcome.said.back() == "refine.no_better");
  CHECK(std::count(outcome.said.begin(), outcome.said.end(), "look.settled") == 3);
  int stage = 0;
  std::map<int, std::set<int>> rounds;
  for (const EvaluatedTrial& trial : outcome.trials) {
    CHECK(trial.trial.stage >= stage);
    stage = trial.trial.stage;
    rounds[stage].insert(trial.trial.repeat);
  }
  CHECK(stage == 2);
  for (const auto& of_stage : rounds) {
    CAPTURE(of_stage.first);
    CHECK(of_stage.second.size() <= 8);
  }
  CampaignDocument done = campaign;
  done.candidates = outcome.candidates;
  const Ranking ranking = rank(outcome.trials, done.candidates, confidence_rules(done));
  CHECK(name(ranking.confidence.proven) == "LoadBalance:5");
}

TEST_CASE("stages: --max-repeat bounds the rounds of each stage") {
  CampaignDocument campaign = campaign_of("LoadBalance:4");
  campaign.refine = true;
  campaign.max_repeat = 5;
  // Exactly on the threshold, which no number of rounds settles.
  const Outcome outcome = play(campaign, [](const Candidate& candidate) {
    return candidate == kDefaultCandidate ? 1.05e6 : 1.0e6;
  });
  CHECK(outcome.runs_of("default") == 10);
  CHECK(outcome.runs_of("LoadBalance:5") == 5);
  CHECK(std::count(outcome.said.begin(), outcome.said.end(), "look.bound") == 2);
}

TEST_CASE("stages: there is nothing to refine or to confirm where default is best") {
  CampaignDocument campaign = campaign_of("LoadBalance:4");
  campaign.refine = true;
  campaign.confirm_rounds = 4;
  const Outcome outcome = play(campaign, costs_of({{"default", 1e6}, {"LoadBalance:4", 1.2e6}}));
  CHECK(outcome.trials.size() == 6);
  CHECK(outcome.said == std::vector<std::string>{"refine.nothing", "confirm.nothing"});
}

TEST_CASE("stages: --confirm runs the winner against default in rounds of four") {
  CampaignDocument campaign = campaign_of("LoadBalance:4,cv");
  campaign.confirm_rounds = 4;
  const Outcome outcome =
      play(campaign, costs_of({{"default", 1.2e6}, {"LoadBalance:4", 1.0e6}, {"cv", 1.3e6}}));
  CHECK(outcome.trials.size() == 9 + 16);
  const Ranking ranking = rank(outcome.trials, campaign.candidates);
  REQUIRE(ranking.confidence.confirmation.has_value());
  CHECK(name(ranking.confidence.confirmation->candidate) == "LoadBalance:4");
  CHECK(std::exp(ranking.confidence.confirmation->interval.point) ==
        doctest::Approx(1.2).epsilon(0.01));
}

}  // namespace
}  // namespace mstune::coordinator
