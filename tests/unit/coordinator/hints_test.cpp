#include "coordinator/hints.h"

#include <algorithm>

#include <doctest/doctest.h>

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
std::vector<std::string> hints_for(const std::vector<EvaluatedTrial>& trials,
                                   const std::vector<std::string>& outputs = {},
                                   const std::string& compile_command = "") {
  CampaignDocument campaign;
  if (!compile_command.empty()) {
    campaign.compile_command = compile_command;
  }
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

TEST_CASE("hints: no STEP record anywhere has other reasons online and offline") {
  const std::vector<EvaluatedTrial> trials{void_trial(0, kDefaultCandidate, "no_record"),
                                           void_trial(1, kTwo, "no_record")};
  CHECK(hints_for(trials) == Ids{"hint.no_record_online"});
  CHECK(hints_for(trials, {}, "atc --output={om_prefix}") == Ids{"hint.no_record_offline"});
}

TEST_CASE("hints: records that only some runs lack were lost, not switched off") {
  CHECK(hints_for({trial_of(0, kDefaultCandidate, kSlow), void_trial(1, kTwo, "no_record")}) ==
        Ids{"hint.some_without_record"});
}

TEST_CASE("hints: a run that failed says nothing about records") {
  for (const std::string code : {"exit_status", "killed", "timeout"}) {
    CAPTURE(code);
    EvaluatedTrial failed = void_trial(1, kTwo, code);
    failed.evaluation.reasons.push_back({"no_record", message("test.reason", "why")});
    const Ids explained = code == "timeout" ? Ids{"hint.timeout"} : Ids{};
    CHECK(hints_for({trial_of(0, kDefaultCandidate, kSlow), failed}) == explained);
    CHECK(hints_for({failed}) == (code == "timeout" ? explained : Ids{"hint.all_failed"}));
    CHECK(hints_for({void_trial(0, kFour, "no_record"), failed}).front() ==
          "hint.no_record_online");
  }
}

TEST_CASE("hints: another mode means a later writer, or what was not built anew") {
  const std::vector<EvaluatedTrial> trials{trial_of(0, kDefaultCandidate, kSlow),
                                           void_trial(1, kTwo, "mode_mismatch")};
  CHECK(hints_for(trials) == Ids{"hint.mode_mismatch_online"});
  CHECK(hints_for(trials, {}, "atc --output={om_prefix}") == Ids{"hint.mode_mismatch_offline"});
}

TEST_CASE("hints: each gate has its own") {
  CHECK(hints_for({void_trial(0, kTwo, "overlapping_steps")}) == Ids{"hint.overlap"});
  CHECK(hints_for({void_trial(0, kTwo, "too_few_steps")}) == Ids{"hint.too_few_steps"});
  CHECK(hints_for({void_trial(0, kTwo, "timeout")}) == Ids{"hint.timeout"});
  CHECK(hints_for({void_trial(0, kTwo, "exit_status")}) == Ids{"hint.all_failed"});
  CHECK(hints_for({trial_of(0, kDefaultCandidate, kSlow), void_trial(1, kTwo, "exit_status")})
            .empty());
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

TEST_CASE("hints: CANN's codes are recognised as words, and each is explained once") {
  CHECK(hints_for({}, {"E10056: Cannot configure both", "again E10056"}) ==
        Ids{"hint.single_stream"});
  CHECK(hints_for({}, {"E13029: Failed to load custom fusion pass lib"}) ==
        Ids{"hint.unloadable_pass"});
  CHECK(hints_for({}, {"ret=507033 EL0005: busy"}) == Ids{"hint.device_busy"});
  CHECK(hints_for({}, {"result[507008]"}) == Ids{"hint.other_chip"});
  CHECK(hints_for({}, {"write: No space left on device"}) == Ids{"hint.disk_full"});
  CHECK(hints_for({}, {"E13026: no such directory"}) == Ids{"hint.no_cache_directory"});
  for (const std::string output : {"ret=207008", "EL0009: Streams", "EE1023", "retCode=0x7020023",
                                   "Alloc sq cq fail", "check and release stream failed"}) {
    CHECK(hints_for({}, {output}) == Ids{"hint.no_streams"});
  }
  CHECK(hints_for({}, {"EL0008: Events"}) == Ids{"hint.no_events"});
  CHECK(hints_for({}, {"at 0x15070331, E100567, XE10056"}).empty());
}

TEST_CASE("hints: warnings of the log library are found inside of the program's own line") {
  CHECK(hints_for({}, {"step 3[LOG_WARNING] can not write log to file, file: /x/plog-1_2.log, "
                       "data_length: 9 bytes, write_length: 4 bytes, possible reason: Invalid "
                       "argument.digest 0a"}) == Ids{"hint.log_cut"});
  CHECK(hints_for({}, {"[LOG_WARNING] can not create directory, directory: /x, possible reason: "
                       "Not a directory."}) == Ids{"hint.log_nowhere"});
}

TEST_CASE("hints: they are sentences on lines of their own") {
  CHECK(hints_text(hints_of_codes("E13028")) ==
        "Hint: E13028: a custom pass reported an error; the line in the output names the pass.\n");
}

}  // namespace
}  // namespace mstune::coordinator
