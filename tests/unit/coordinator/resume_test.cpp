#include "coordinator/resume.h"

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/file.h"
#include "coordinator/hand_over.h"
#include "coordinator/run_leftovers.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

CampaignDocument campaign() {
  CampaignDocument document;
  document.command = "./infer --loop 20";
  document.repeat = 2;
  document.candidates = candidates_of_list("LoadBalance:4,MainStream:2");
  document.order = {OrderKind::random, 42};
  document.session_id = "0123456789abcdef";
  return document;
}

void write_trial(const fs::path& run, const Trial& trial, const std::string& code = "") {
  EvaluatedTrial evaluated;
  evaluated.trial = trial;
  evaluated.outcome.exit_code = 0;
  if (!code.empty()) {
    evaluated.outcome.reasons.push_back({code, message("test.why", "why")});
  }
  evaluated.evaluation = evaluate_unrun(evaluated.outcome);
  const fs::path directory = run / directory_name(trial);
  fs::create_directories(directory);
  os::write_file_atomically(directory / "trial.json", trial_json(evaluated));
}

TEST_CASE("resume: a difference is named with what it was and what it is") {
  const auto refused = [](const auto& change, bool seed_given = false) {
    CampaignDocument wanted = campaign();
    change(wanted);
    const auto obstacle = resume_obstacle(campaign(), {wanted, Spread::share, seed_given});
    return obstacle ? obstacle->text : std::string();
  };
  CHECK(refused([](auto&) {}).empty());
  CHECK(refused([](auto& wanted) { wanted.command = "./other"; }).find("\"./other\"") !=
        std::string::npos);
  CHECK(refused([](auto& wanted) { wanted.repeat = 3; }).find("--repeat was \"2\"") !=
        std::string::npos);
  CHECK_FALSE(refused([](auto& wanted) { wanted.candidates.pop_back(); }).empty());
  CHECK_FALSE(refused([](auto& wanted) { wanted.target_host = "box"; }).empty());
  CHECK_FALSE(refused([](auto& wanted) { wanted.gates.min_steps = 9; }).empty());
  CHECK_FALSE(refused([](auto& wanted) { wanted.order.kind = OrderKind::fixed; }).empty());
  CHECK_FALSE(refused([](auto& wanted) { wanted.refine = true; }).empty());
  // A seed that was only drawn is no wish.
  CHECK(refused([](auto& wanted) { wanted.order.seed = 7; }).empty());
  CHECK_FALSE(refused([](auto& wanted) { wanted.order.seed = 7; }, true).empty());
}

TEST_CASE("resume: the candidates that refining added are not held against the command line") {
  CampaignDocument wanted = campaign();
  wanted.refine = true;
  CampaignDocument saved = wanted;
  saved.candidates.push_back(parse_candidate("LoadBalance:5"));
  CHECK_FALSE(resume_obstacle(saved, {wanted}));
}

TEST_CASE("resume: results stay, what may still run goes on, the rest is moved apart") {
  const os::Scratch scratch;
  const RunDirectory run(scratch.path());
  run.write_campaign(campaign());
  const auto trials = trials_in_rounds(campaign().candidates, 2);
  write_trial(run.path(), trials[0]);
  write_trial(run.path(), trials[1], "build_failed");
  write_trial(run.path(), trials[2], "agent_lost");
  fs::create_directories(run.path() / "attempts" / (directory_name(trials[3]) + "_a2"));
  { TrialRecorder(run.trial_directory(trials[3]), trials[3], 3); }
  fs::create_directories(run.trial_directory(trials[4]));  // killed before it wrote anything
  run.note_om("LoadBalance:4", {"12ab", "/a path/b.om"});
  run.note_om("LoadBalance:4", {"34cd", "/a path/c.om"});

  const ResumedRun resumed = resume_run(run, {campaign()});
  CHECK(resumed.session_id == campaign().session_id);
  CHECK(resumed.order.seed == 42);
  REQUIRE(resumed.finished.size() == 2);
  CHECK(resumed.finished[1].outcome.reasons.at(0).code == "build_failed");
  CHECK(resumed.attempts.at(2) == 1);
  CHECK(resumed.attempts.at(3) == 2);
  CHECK(resumed.attempts.at(4) == 1);
  REQUIRE(resumed.unfinished.size() == 1);
  CHECK(resumed.unfinished.at(3).progress.attempt == 3);
  CHECK(fs::exists(run.path() / "attempts" / (directory_name(trials[4]) + "_a1")));
  CHECK_FALSE(fs::exists(run.trial_directory(trials[4])));
  REQUIRE(resumed.oms.size() == 1);
  CHECK(resumed.oms.at("LoadBalance:4").identity == "34cd");
  CHECK(resumed.oms.at("LoadBalance:4").path == "/a path/c.om");
}

TEST_CASE("resume: a document that cannot be read is set aside, and its trial is run again") {
  const os::Scratch scratch;
  const RunDirectory run(scratch.path());
  run.write_campaign(campaign());
  const auto trials = trials_in_rounds(campaign().candidates, 2);
  write_trial(run.path(), trials[0]);
  write_trial(run.path(), trials[1]);
  const fs::path damaged = run.trial_directory(trials[1]) / "trial.json";
  os::append_to(damaged, os::read_file(damaged));
  os::append_to(run.path() / "summary.json", "{");

  const ResumedRun resumed = resume_run(run, {campaign()});
  REQUIRE(resumed.finished.size() == 1);
  CHECK(resumed.finished[0].trial.index == 0);
  CHECK(resumed.unfinished.empty());
  CHECK(resumed.attempts.at(1) == 1);
  CHECK(fs::exists(run.attempts_directory() / (directory_name(trials[1]) + "_a1") / "trial.json"));
  REQUIRE(resumed.notes.size() == 2);
  CHECK(resumed.notes[0].text.find("summary.json") != std::string::npos);
  CHECK(resumed.notes[1].text.find(damaged.string()) != std::string::npos);
}

TEST_CASE("resume: a trial that could not begin is tried again, and one without an OM is not") {
  const os::Scratch scratch;
  const RunDirectory run(scratch.path());
  run.write_campaign(campaign());
  const auto trials = trials_in_rounds(campaign().candidates, 1);
  const auto write_unrun = [&](const Trial& trial, const std::string& code) {
    EvaluatedTrial unrun;
    unrun.trial = trial;
    if (!code.empty()) {
      unrun.outcome.reasons.push_back({code, message("test.why", "why")});
    }
    unrun.evaluation = evaluate_unrun(unrun.outcome);
    fs::create_directories(run.trial_directory(trial));
    os::write_file_atomically(run.trial_directory(trial) / "trial.json", trial_json(unrun));
  };
  write_unrun(trials[0], "");
  write_unrun(trials[1], "build_failed");
  write_unrun(trials[2], "device_busy");
  const ResumedRun resumed = resume_run(run, {campaign()});
  REQUIRE(resumed.finished.size() == 1);
  CHECK(resumed.finished[0].trial.index == 1);
  CHECK(resumed.finished[0].evaluation.reasons.at(0).code == "build_failed");
  CHECK(fs::exists(run.attempts_directory() / (directory_name(trials[0]) + "_a1")));
}

TEST_CASE("resume: names of directories tell which trials they are of") {
  const auto trials = trials_in_rounds(campaign().candidates, 2);
  for (Trial trial : trials) {
    for (const std::string attempt : {"", "_a1", "_a12", "_a1_2"}) {
      const auto read = trial_of_directory(directory_name(trial) + attempt);
      REQUIRE(read);
      CHECK(is_same_trial(*read, trial));
      CHECK_FALSE(read->device);
    }
    trial.device = 3;
    trial.purpose = Purpose::confirm;
    const auto read = trial_of_directory(directory_name(trial) + "_a2");
    REQUIRE(read);
    CHECK(is_same_trial(*read, trial));
    CHECK(read->device == 3);
  }
  CHECK_FALSE(trial_of_directory("om"));
  CHECK_FALSE(trial_of_directory("trial_x_default_r1"));
  CHECK_FALSE(trial_of_directory("trial_001_default"));
  CHECK_FALSE(trial_of_directory("trial_001_nobody_r1"));
}

TEST_CASE("resume: what is given up twice under one number is kept twice, and out of the way") {
  const os::Scratch scratch;
  const RunDirectory run(scratch.path());
  const Trial trial = trials_in_rounds(campaign().candidates, 1)[0];
  for (int times = 0; times < 3; ++times) {
    write_trial(run.path(), trial, "not_started");
    run.discard(trial, 3, message("test.why", "why"));
    CHECK_FALSE(fs::exists(run.trial_directory(trial)));
  }
  CHECK(fs::exists(run.attempts_directory() / (directory_name(trial) + "_a3_3") / "attempt.json"));
}

TEST_CASE("resume: a fleet's trials are found by their devices, results as well as what was left") {
  const os::Scratch scratch;
  const RunDirectory run(scratch.path());
  CampaignDocument saved = campaign();
  AgentRecord agent;
  agent.target = "npu-a";
  saved.fleet = Fleet{Spread::share, {agent}, {{0, 0, {0}, "", {}}, {1, 0, {1}, "", {}}}};
  run.write_campaign(saved);
  auto trials = trials_in_rounds(campaign().candidates, 2);
  trials[0].device = 0;
  trials[3].device = 1;
  write_trial(run.path(), trials[0]);
  { TrialRecorder(run.trial_directory(trials[3]), trials[3], 1); }
  Trial elsewhere = trials[0];  // of a round that had moved
  elsewhere.device = 1;
  fs::create_directories(run.trial_directory(elsewhere));

  ResumedRun resumed = resume_run(run, {campaign()});
  REQUIRE(resumed.finished.size() == 1);
  CHECK(resumed.finished[0].trial.device == 0);
  CHECK(resumed.unfinished.at(3).directory == directory_name(trials[3]));
  CHECK(resumed.left.at(3).device == 1);
  CHECK(resumed.left.at(3).name == name_without_device(trials[3]));
  CHECK_FALSE(fs::exists(run.trial_directory(elsewhere)));
  CHECK(resume_obstacle(saved, {campaign(), Spread::replicate})->text.find("--spread") !=
        std::string::npos);
  SessionOptions session;
  hand_over(std::move(resumed), session);
  REQUIRE(session.campaign.devices.size() == 2);
  CHECK(session.campaign.devices[1].place == 1);
  CHECK(session.campaign.finished.contains(0));
  CHECK(session.before.has_value());
}

TEST_CASE("resume: a directory without a campaign of ours is refused") {
  const os::Scratch scratch;
  CHECK_THROWS_AS(resume_run(RunDirectory(scratch.path()), {campaign()}), Error);
}

TEST_CASE("resume: a run directory belongs to one campaign at a time") {
  const os::Scratch scratch;
  const RunDirectory run(scratch.path());
  {
    const os::UniqueFd lock = lock_run(run);
    CHECK_THROWS_AS(lock_run(run), Error);
  }
  CHECK(lock_run(run).valid());
}

}  // namespace
}  // namespace mstune::coordinator
