#include "coordinator/hints.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "coordinator/trial_cause.h"

namespace mstune::coordinator {
namespace {

const Candidate kFour = parse_candidate("LoadBalance:4");
const Candidate kTwo = parse_candidate("LoadBalance:2");

EvaluatedTrial trial_of(std::uint32_t index, const Candidate& candidate,
                        std::vector<std::uint64_t> costs_us) {
  EvaluatedTrial trial;
  trial.trial.index = index;
  trial.trial.candidate = candidate;
  trial.outcome.exit_code = 0;
  trial.evaluation.valid = true;
  trial.evaluation.costs_us = std::move(costs_us);
  trial.evaluation.main_object = ProcessObject{{ObjectId::Kind::model, 0, 1}, 7};
  return trial;
}

EvaluatedTrial void_trial(std::uint32_t index, const Candidate& candidate,
                          const std::string& code) {
  EvaluatedTrial trial = trial_of(index, candidate, {});
  trial.evaluation.valid = false;
  trial.evaluation.reasons = {{code, message("test.reason", "why")}};
  return trial;
}

// The ids of the hints for these trials.
std::vector<std::string> hints_for(std::vector<EvaluatedTrial> trials,
                                   const std::vector<std::string>& outputs = {},
                                   const std::string& compile_command = "") {
  CampaignDocument campaign;
  if (!compile_command.empty()) {
    campaign.compile_command = compile_command;
  }
  name_causes(campaign, trials);
  const Ranking ranking = rank(trials, {kDefaultCandidate, kTwo, kFour});
  std::vector<std::string> ids;
  for (const Message& hint : hints_of({campaign, ranking, trials, outputs})) {
    ids.push_back(hint.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;
const std::vector<std::uint64_t> kSlow(10, 2000);
const std::vector<std::uint64_t> kFast(10, 1000);

TEST_CASE("hints: a run without symptoms has none") {
  CHECK(hints_for({trial_of(0, kDefaultCandidate, kSlow), trial_of(1, kTwo, kFast),
                   trial_of(2, kFour, kSlow)})
            .empty());
  CHECK(hints_for({}).empty());
  CHECK(hints_text({}).empty());
}

TEST_CASE("hints: what all have in common is said as it is, what some have with their number") {
  auto trials = std::vector<EvaluatedTrial>{void_trial(0, kDefaultCandidate, "no_record"),
                                            void_trial(1, kTwo, "no_record")};
  CHECK(hints_for(trials) == Ids{"hint.no_record_online"});
  CHECK(hints_for(trials, {}, "atc --output={om_prefix}") == Ids{"hint.no_record_offline"});
  trials.push_back(void_trial(2, kFour, "too_few_steps"));
  CHECK(hints_for(trials) == Ids{"hint.of_trials", "hint.of_trials"});
}

TEST_CASE("hints: as many trials that count as do not have a cause, and it is not the run's") {
  auto trials = std::vector<EvaluatedTrial>{trial_of(0, kDefaultCandidate, kSlow),
                                            void_trial(1, kTwo, "no_record")};
  trials[0].evaluation.signs.equal_object = ObjectId{ObjectId::Kind::model, 0, 2};
  CHECK(hints_for(trials) == Ids{"hint.of_trials", "hint.no_record_online"});
}

TEST_CASE("hints: candidates that cost the same are told from those that GE ignores") {
  const std::vector<std::uint64_t> nearly(10, 2019);
  std::vector<EvaluatedTrial> trials{trial_of(0, kDefaultCandidate, kSlow),
                                     trial_of(1, kTwo, kSlow), trial_of(2, kFour, nearly)};
  CHECK(hints_for(trials) == Ids{"hint.all_alike"});
  trials[0].evaluation.main_object->object.number = 0x7F000000;
  CHECK(hints_for(trials) == Ids{"hint.all_alike_dynamic"});
  trials[2] = trial_of(2, kFour, std::vector<std::uint64_t>(10, 2030));
  CHECK(hints_for(trials).empty());
}

TEST_CASE("hints: an OM2 without any result cannot be tuned") {
  CHECK(hints_for({void_trial(0, kTwo, "exit_status")}, {}, "atc --mode=OM2 --output={om_prefix}")
            .front() == "hint.om2");
}

TEST_CASE("hints: codes in builds are explained, each once") {
  CHECK(hints_for({}, {"E10056: Cannot configure both", "again E10056"}) ==
        Ids{"hint.single_stream"});
  CHECK(hints_for({}, {"at 0x15070331"}).empty());
}

TEST_CASE("hints: they are sentences on lines of their own") {
  CHECK(hints_text({message("hint.failing_pass", "E13028: a pass")}) == "Hint: E13028: a pass.\n");
}

}  // namespace
}  // namespace mstune::coordinator
