#include "coordinator/confidence.h"

#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "coordinator/documents.h"
#include "coordinator/report_evidence.h"
#include "coordinator/report_table.h"

namespace mstune::coordinator {
namespace {

const Candidate kTwo = parse_candidate("LoadBalance:2");
const Candidate kEight = parse_candidate("LoadBalance:8");

EvaluatedTrial trial(const Candidate& candidate, int round, std::uint64_t cost_us) {
  EvaluatedTrial trial;
  trial.trial.candidate = candidate;
  trial.trial.repeat = round;
  trial.outcome.exit_code = 0;
  trial.evaluation.valid = true;
  trial.evaluation.costs_us = std::vector<std::uint64_t>(20, cost_us);
  return trial;
}

// In [-1, 1), without a pattern that candidates or rounds share.
double uneven(int round, std::size_t at) {
  std::uint32_t bits =
      static_cast<std::uint32_t>(round) * 7919U + static_cast<std::uint32_t>(at) * 104729U;
  bits *= 2654435761U;
  bits ^= bits >> 15U;
  bits *= 2246822519U;
  bits ^= bits >> 13U;
  return static_cast<double>(bits) / 2147483648.0 - 1.0;
}

// One trial of each candidate per round: its cost, moved by what this round and run do to it.
std::vector<EvaluatedTrial> campaign_of(
    const std::vector<std::pair<Candidate, std::uint64_t>>& costs, int rounds,
    double noise = 0.002) {
  std::vector<EvaluatedTrial> trials;
  for (int round = 1; round <= rounds; ++round) {
    for (std::size_t at = 0; at < costs.size(); ++at) {
      const double cost = static_cast<double>(costs[at].second) * (1.0 + 0.05 * round) *
                          (1.0 + noise * uneven(round, at));
      trials.push_back(trial(costs[at].first, round, static_cast<std::uint64_t>(cost)));
    }
  }
  return trials;
}

const CandidateConfidence& of(const Ranking& ranking, const Candidate& candidate) {
  return ranking.confidence.candidates.at(candidate);
}

std::string evidence_text(const Ranking& ranking) {
  std::string text;
  for (const Message& line : evidence_messages(ranking)) {
    text += line.text + '\n';
  }
  return text;
}

TEST_CASE("confidence: a clear winner is proven, in an interval that holds its speedup") {
  const Ranking ranking =
      rank(campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}, {kEight, 1300000}}, 4), {});
  CHECK(ranking.recommended == kTwo);
  CHECK(ranking.confidence.proven == kTwo);
  CHECK(ranking.confidence.tied == std::vector<Candidate>{kTwo});
  CHECK(of(ranking, kTwo).evidence == Evidence::proven);
  CHECK(of(ranking, kEight).evidence == Evidence::slower);
  CHECK_FALSE(of(ranking, kDefaultCandidate).evidence.has_value());
  const Interval& interval = *of(ranking, kTwo).interval;
  CHECK(std::exp(interval.low) < 1.2);
  CHECK(std::exp(interval.high) > 1.2);
  CHECK(evidence_text(ranking).starts_with("Evidence: proven. With 95 % confidence LoadBalance:2"));
}

TEST_CASE("confidence: noise makes the same winner unproven, and says about how many rounds more") {
  const Ranking ranking = rank(
      campaign_of({{kDefaultCandidate, 1080000}, {kTwo, 1000000}, {kEight, 1060000}}, 3, 0.03), {});
  CHECK(ranking.recommended == kTwo);  // the sample's rule
  CHECK(ranking.confidence.proven == kDefaultCandidate);
  CHECK(of(ranking, kTwo).more_rounds.value_or(0) > 0);
  const std::string text = evidence_text(ranking);
  CHECK(text.find("that is not proven") != std::string::npos);
  CHECK(text.find("more rounds would settle it") != std::string::npos);
}

TEST_CASE("confidence: of two that cannot be told apart the one with fewer streams is proven") {
  const Ranking ranking =
      rank(campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1002000}, {kEight, 1000000}}, 3), {});
  CHECK(ranking.recommended == kEight);
  CHECK(ranking.confidence.tied == std::vector<Candidate>{kTwo, kEight});
  CHECK(ranking.confidence.preferred == kTwo);
  CHECK(ranking.confidence.proven == kTwo);
  CHECK(evidence_text(ranking).find("supports LoadBalance:2 instead") != std::string::npos);
}

TEST_CASE("confidence: one round, or a baseline without data, says nothing") {
  const Ranking one = rank(campaign_of({{kDefaultCandidate, 12000}, {kTwo, 10000}}, 1), {});
  CHECK_FALSE(one.confidence.any());
  CHECK_FALSE(of(one, kTwo).interval.has_value());
  CHECK(one.recommended == kTwo);
  const Ranking unbased = rank(campaign_of({{kTwo, 10000}, {kEight, 9000}}, 3), {});
  CHECK_FALSE(of(unbased, kTwo).interval.has_value());
  CHECK(unbased.confidence.proven == kDefaultCandidate);
}

TEST_CASE("confidence: rounds of any number are taken, and medians of 0 are not") {
  auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 3);
  for (EvaluatedTrial& each : trials) {
    each.trial.repeat = each.trial.repeat == 3 ? 2000000000 : -each.trial.repeat;
  }
  CHECK(rank(trials, {}).confidence.proven == kTwo);
  for (EvaluatedTrial& each : trials) {
    if (each.trial.candidate == kTwo) {
      each.evaluation.costs_us.assign(20, 0);
    }
  }
  CHECK_FALSE(of(rank(trials, {}), kTwo).interval.has_value());
}

TEST_CASE("confidence: under repeated looks nothing is said before the first, and less after it") {
  const std::vector<std::pair<Candidate, std::uint64_t>> costs{{kDefaultCandidate, 1200000},
                                                               {kTwo, 1000000}};
  const ConfidenceRules rules{SequentialRules{.max_rounds = 20}};
  CHECK_FALSE(of(rank(campaign_of(costs, 2), {}, rules), kTwo).interval.has_value());
  const Ranking looks = rank(campaign_of(costs, 4), {}, rules);
  const Ranking fixed = rank(campaign_of(costs, 4), {});
  CHECK(of(looks, kTwo).interval->low < of(fixed, kTwo).interval->low);
}

TEST_CASE("confidence: a control that leaves 1 out lowers every word") {
  auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 4);
  const auto with_control = [&](std::uint64_t cost) {
    auto all = trials;
    for (EvaluatedTrial& control : campaign_of({{kDefaultCandidate, cost}}, 4, 0.003)) {
      control.trial.purpose = Purpose::control;
      all.push_back(control);
    }
    return rank(all, {});
  };
  const Ranking held = with_control(1200000);
  CHECK(held.confidence.control_held);
  CHECK(of(held, kTwo).evidence == Evidence::proven);
  CHECK(held.summaries.back().trials == 4);  // the control is not pooled
  const Ranking failed = with_control(1150000);
  CHECK_FALSE(failed.confidence.control_held);
  CHECK(of(failed, kTwo).evidence == Evidence::likely);
  CHECK(failed.confidence.proven == kDefaultCandidate);
  CHECK(failed.recommended == kTwo);
  CHECK(evidence_text(failed).find("which leaves 1 out") != std::string::npos);
}

TEST_CASE("confidence: who computes something else is neither proven nor recommended") {
  auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}, {kEight, 1100000}}, 3);
  for (EvaluatedTrial& each : trials) {
    each.digest = each.trial.candidate == kTwo ? "feed" : "beef";
  }
  const Ranking ranking = rank(trials, {});
  CHECK(ranking.summaries.front().candidate == kTwo);
  CHECK(ranking.recommended == kEight);
  CHECK(ranking.confidence.proven == kEight);
  CHECK(of(ranking, kTwo).result.result == SameResult::different);
  CHECK(evidence_text(ranking).find("computes something else than default") != std::string::npos);
  trials.back().digest = "cafe";  // one run of LoadBalance:8
  const Ranking restless = rank(trials, {});
  CHECK(of(restless, kEight).result.result == SameResult::nondeterministic);
  CHECK(restless.recommended == kDefaultCandidate);
}

TEST_CASE("confidence: fresh rounds are reported apart and change no figure") {
  auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 3);
  const Ranking before = rank(trials, {});
  for (int round = 1; round <= 3; ++round) {
    for (const Candidate& candidate : {kTwo, kDefaultCandidate, kDefaultCandidate, kTwo}) {
      const std::uint64_t cost = candidate == kTwo ? 1000000 : 1150000;
      trials.push_back(trial(candidate, round, cost + 100 * static_cast<std::uint64_t>(round)));
      trials.back().trial.purpose = Purpose::confirm;
    }
  }
  const Ranking after = rank(trials, {});
  CHECK(summary_csv(after) == summary_csv(before));
  REQUIRE(after.confidence.confirmation.has_value());
  CHECK(after.confidence.confirmation->candidate == kTwo);
  CHECK(std::exp(after.confidence.confirmation->interval.point) ==
        doctest::Approx(1.15).epsilon(0.001));
  CHECK(after.confidence.confirmation->rounds == 3);
  CHECK(evidence_text(after).find("In 3 fresh rounds: LoadBalance:2 is 1.150") !=
        std::string::npos);
}

TEST_CASE("confidence: fresh rounds of another candidate than the last one are left out") {
  std::vector<EvaluatedTrial> trials;
  const auto add_round = [&](int round, const Candidate& winner, std::uint64_t cost) {
    for (const Candidate& candidate : {winner, kDefaultCandidate, kDefaultCandidate, winner}) {
      trials.push_back(trial(candidate, round, candidate == winner ? cost : 1200000));
      trials.back().trial.purpose = Purpose::confirm;
    }
  };
  add_round(1, kEight, 800000);
  add_round(2, kEight, 800000);
  add_round(3, kTwo, 1000000);
  CHECK_FALSE(rank(trials, {}).confidence.confirmation.has_value());  // one round says nothing
  add_round(4, kTwo, 1000000);
  trials.back().evaluation.valid = false;
  CHECK_FALSE(rank(trials, {}).confidence.confirmation.has_value());
  trials.back().evaluation.valid = true;
  const auto confirmation = rank(trials, {}).confidence.confirmation;
  REQUIRE(confirmation.has_value());
  CHECK(confirmation->candidate == kTwo);
  CHECK(confirmation->rounds == 2);
  CHECK(std::exp(confirmation->interval.point) == doctest::Approx(1.2));
}

TEST_CASE("confidence: runs that say less than 10 independent steps are warned about") {
  const auto with_steps = [](std::size_t count) {
    auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 3);
    for (EvaluatedTrial& each : trials) {
      if (each.trial.candidate == kTwo) {
        each.evaluation.costs_us.resize(count, each.evaluation.costs_us.front());
      }
    }
    return evidence_text(rank(trials, {}));
  };
  CHECK(with_steps(9).find("fewer than 10 independent steps") != std::string::npos);
  CHECK(with_steps(9).find("LoadBalance:2 (9.0)") != std::string::npos);
  CHECK(with_steps(10).find("independent steps") == std::string::npos);
  // Twenty steps that resemble their neighbours are worth fewer.
  auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 3);
  for (EvaluatedTrial& each : trials) {
    for (std::size_t step = 10; step < 20; ++step) {
      each.evaluation.costs_us[step] += 50000;
    }
  }
  CHECK(evidence_text(rank(trials, {})).find("independent steps") != std::string::npos);
}

TEST_CASE("confidence: each stage of looks spends its own part of the error") {
  const std::vector<std::pair<Candidate, std::uint64_t>> costs{{kDefaultCandidate, 1200000},
                                                               {kTwo, 1000000}};
  ConfidenceRules rules{SequentialRules{.max_rounds = 20}};
  const Ranking alone = rank(campaign_of(costs, 4), {}, rules);
  rules.refine = true;
  auto trials = campaign_of(costs, 4);
  const Ranking shared = rank(trials, {}, rules);
  CHECK(of(shared, kTwo).interval->low < of(alone, kTwo).interval->low);
  // A refinement in which the winner of the first stage is beaten.
  for (EvaluatedTrial each :
       campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}, {kEight, 900000}}, 4)) {
    each.trial.repeat += 4;
    each.trial.stage = 1;
    trials.push_back(each);
  }
  const Ranking refined = rank(trials, {}, rules);
  CHECK(refined.confidence.tied == std::vector<Candidate>{kEight});
  CHECK(refined.confidence.proven == kEight);
  CHECK(of(refined, kTwo).behind);
  CHECK(of(refined, kTwo).interval->low >= of(shared, kTwo).interval->low);
}

TEST_CASE("confidence: a baseline that gets slower is told as drift") {
  auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 6, 0.001);
  for (EvaluatedTrial& each : trials) {
    each.evaluation.start_s = 60.0 * each.trial.repeat;
  }
  CHECK(evidence_text(rank(trials, {})).find("Drift: default became 2") != std::string::npos);
}

TEST_CASE("confidence: the table and the documents show intervals and words") {
  const auto trials = campaign_of({{kDefaultCandidate, 1200000}, {kTwo, 1000000}}, 3);
  const Ranking ranking = rank(trials, {});
  const auto json = nlohmann::json::parse(summary_json({}, ranking, trials));
  const auto& winner = json.at("summaries").at(0);
  CHECK(winner.at("evidence") == "proven");
  CHECK(winner.at("speedup_low") < 1.2);
  CHECK(winner.at("speedup_high") > 1.2);
  CHECK(json.at("summaries").at(1).at("evidence").is_null());
  CHECK(json.at("summaries").at(1).at("speedup_low").is_null());
  CHECK(json.at("proven") == "LoadBalance:2");
  CHECK(json.at("tied") == nlohmann::json({"LoadBalance:2"}));
  CHECK(summary_csv(ranking).find(",proven\n") != std::string::npos);
  const std::string report = report_table({}, ranking);
  CHECK(report.find("95 % interval  evidence\n") != std::string::npos);
  CHECK(report.find("improvement  1.1") != std::string::npos);
}

}  // namespace
}  // namespace mstune::coordinator
