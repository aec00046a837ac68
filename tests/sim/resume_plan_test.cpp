// A campaign whose coordinator is killed after each of its trials and started again: it plans what
// an undisturbed one plans, measures nothing twice, and no program is taken for another one.
//
// The real dispatcher, stages, recorders and run directory; agents that answer at once.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "common/os/file.h"
#include "coordinator/dispatcher.h"
#include "coordinator/hand_over.h"
#include "coordinator/resume.h"
#include "coordinator/stages.h"
#include "coordinator/trial_recorder.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

struct Kind {
  const char* name;
  CampaignDocument document;
  std::vector<std::size_t> devices = {1};  // of each agent
  Spread spread = Spread::share;
  bool offline = false;
  std::size_t second_joins_after = 0;  // trials, of the second agent
};

// On a file system that has no disk to wait for, where there is one.
class Scratch {
 public:
  Scratch()
      : path_(os::make_unique_directory(
            fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path(),
            "mstune-plan-")) {}
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The fastest has six streams; what else there is costs more by much than noise.
std::uint64_t cost_us(const Candidate& candidate, std::uint64_t step) {
  const std::uint64_t base =
      candidate.strategy == Strategy::load_balance
          ? 1000 + 100 * static_cast<std::uint64_t>(std::abs(candidate.streams - 6))
          : 1500;
  return base + step % 3;
}

protocol::Events events_of(const Trial& trial) {
  protocol::Events events;
  for (std::uint64_t step = 0; step < 8; ++step) {
    const std::uint64_t start = 5000 * step;
    const std::uint64_t cost = cost_us(trial.candidate, step + trial.index);
    events.events.emplace_back(protocol::StepLine{
        "stdout.log",
        step + 1,
        {fmt::format("[GE_MS_TUNE][STEP] api=NnExecute mode={} model_id=1 step={} start_us={} "
                     "end_us={} cost_us={} sync_us=10 ret=0 sync_ret=0",
                     name(trial.candidate), step, start, start + cost, cost)}});
  }
  protocol::Exited exited;
  exited.started = true;
  exited.cause = protocol::kCauseExit;
  events.events.emplace_back(exited);
  return events;
}

// What outlives a coordinator: the disk, and the programs at the agents.
struct World {
  Scratch scratch;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> programs;  // trial, attempt
  std::map<std::uint32_t, int> recorded;                                    // trial → how often
  std::vector<std::string> wrong;

  [[nodiscard]] RunDirectory directory() const { return RunDirectory(scratch.path()); }
};

// One coordinator, from its start to its end or its death.
class Life {
 public:
  Life(const Kind& kind, World& world) : kind_(kind), world_(world), directory_(world.directory()) {
    document_ = kind.document;
    SessionOptions session;
    if (fs::exists(directory_.path() / "campaign.json")) {
      CampaignDocument wanted = kind.document;
      wanted.order.seed += 77;  // drawn anew with each start
      ResumedRun resumed = resume_run(directory_, {wanted, kind.spread});
      document_.order = resumed.order;
      document_.fleet = resumed.fleet;
      document_.devices_at_looks = resumed.devices_at_looks;
      hand_over(std::move(resumed), session);
    } else {
      session.campaign.order = document_.order;
    }
    if (session.before) {
      fleet_ = *session.before;
    }
    fleet_.agents.resize(kind.devices.size());
    left_ = session.unfinished;
    stages_.emplace(document_);
    CampaignSettings& settings = session.campaign;
    settings.candidates = document_.candidates;
    settings.trials = stages_->first();
    settings.open_ended = stages_->open_ended();
    settings.offline = kind.offline;
    settings.agents = kind.devices.size();
    settings.spread = fleet_.spread = kind.spread;
    settings.check_fleet = true;
    dispatcher_.emplace(settings, now_);
    before_ = session.finished;
    std::vector<Trial> planned;
    for (std::uint32_t index = 0; index < dispatcher_->trials(); ++index) {
      planned.push_back(dispatcher_->trial(index));
    }
    take_over(planned);
    write_campaign();
  }

  // Until so many more are recorded; false when it is through before.
  bool run(std::size_t trials) {
    for (std::size_t agent = 0; agent < kind_.devices.size(); ++agent) {
      if (is_there(agent)) {
        ready(agent);
      }
    }
    now_ += std::chrono::seconds(20);
    dispatch(Tick{});  // who is not there by now is late
    for (std::size_t done = 0; done < trials; ++done) {
      if (running_.empty()) {
        return false;
      }
      const Attempt attempt = running_.front();
      running_.pop_front();
      dispatch(AttemptSeen{attempt});
      dispatch(AttemptExited{attempt});
      if (kind_.devices.size() > 1 && !readied_.contains(1) && is_there(1)) {
        ready(1);
      }
    }
    return !finish_;
  }

  [[nodiscard]] std::vector<std::string> plan() const {
    std::vector<std::string> titles;
    for (std::uint32_t index = 0; index < dispatcher_->trials(); ++index) {
      Trial trial = dispatcher_->trial(index);
      if (kind_.spread == Spread::share) {
        trial.device.reset();  // who took which round is a matter of time
      }
      titles.push_back(fmt::format("{} {} stage {}", index, title(trial), trial.stage));
    }
    return titles;
  }
  [[nodiscard]] const std::optional<Finish>& finish() const { return finish_; }

 private:
  [[nodiscard]] bool is_there(std::size_t agent) const {
    return agent == 0 || world_.recorded.size() >= kind_.second_joins_after;
  }

  void ready(std::size_t agent) {
    readied_.insert(agent);
    dispatch(AgentReady{agent, "instance", kind_.devices[agent]});
    note_devices();
  }

  void dispatch(const CampaignEvent& event) {
    for (const CampaignAction& action : dispatcher_->handle(event, now_)) {
      carry_out(action);
    }
  }

  void carry_out(const CampaignAction& action) {
    if (std::holds_alternative<CheckFleet>(action)) {
      note_devices();
      dispatch(FleetChecked{});
    } else if (const auto* build = std::get_if<StartBuild>(&action)) {
      dispatch(Built{build->candidate});
    } else if (const auto* upload = std::get_if<StartUpload>(&action)) {
      dispatch(Uploaded{upload->agent, upload->candidate});
    } else if (const auto* assignment = std::get_if<AssignAttempt>(&action)) {
      assign(assignment->attempt);
    } else if (const auto* collection = std::get_if<CollectAttempt>(&action)) {
      record(collection->attempt);
    } else if (const auto* discard = std::get_if<DiscardAttempt>(&action)) {
      world_.wrong.push_back(
          fmt::format("trial {} was thrown away: {}", discard->attempt.trial, discard->why.text));
    } else if (std::holds_alternative<NeedMore>(action)) {
      add_trials();
    } else if (const auto* finish = std::get_if<Finish>(&action)) {
      finish_ = *finish;
    }
  }

  void assign(const Attempt& attempt) {
    if (std::find(running_.begin(), running_.end(), attempt) != running_.end()) {
      return;
    }
    note_devices();
    const Trial& trial = dispatcher_->trial(attempt.trial);
    const auto [program, is_new] =
        world_.programs.emplace(std::pair(attempt.trial, attempt.number), name_of(trial));
    if (!is_new && program->second != name_of(trial)) {
      world_.wrong.push_back(fmt::format("{} was taken for {}", program->second, name_of(trial)));
    }
    const auto left = left_.find(attempt.trial);
    if (left != left_.end() && left->second.directory == directory_name(trial) &&
        left->second.progress.attempt == attempt.number) {
      recorders_.emplace(attempt.trial, TrialRecorder(directory_.trial_directory(trial), trial,
                                                      left->second.progress));
    } else {
      recorders_.emplace(attempt.trial,
                         TrialRecorder(directory_.trial_directory(trial), trial, attempt.number));
    }
    running_.push_back(attempt);
  }

  static std::string name_of(const Trial& trial) {
    return fmt::format("{} round {}", name(trial.candidate), trial.repeat);
  }

  void record(const Attempt& attempt) {
    TrialRecorder& recorder = recorders_.at(attempt.trial);
    recorder.take(events_of(recorder.trial()));
    done_.push_back(recorder.finish(document_.gates, ""));
    CHECK(done_.back().evaluation.valid);
    if (++world_.recorded[attempt.trial] > 1) {
      world_.wrong.push_back(fmt::format("trial {} was measured twice", attempt.trial));
    }
    recorders_.erase(attempt.trial);
    dispatch(AttemptRecorded{attempt});
  }

  void take_over(const std::vector<Trial>& planned) {
    for (const Trial& trial : planned) {
      const auto saved = std::find_if(before_.begin(), before_.end(), [&](const auto& before) {
        return before.trial.index == trial.index;
      });
      if (saved == before_.end()) {
        continue;
      }
      if (is_same_trial(saved->trial, trial)) {
        done_.push_back(*saved);
      } else {
        world_.wrong.push_back(fmt::format("trial {} does not count any more", trial.index));
      }
    }
  }

  void add_trials() {
    std::sort(done_.begin(), done_.end(), [](const auto& left, const auto& right) {
      return left.trial.index < right.trial.index;
    });
    const NextTrials next = stages_->next(done_);
    write_campaign();
    take_over(next.trials);
    dispatch(TrialsAdded{next.candidates, next.trials});
  }

  void note_devices() {
    const std::size_t known = fleet_.devices.size();
    for (std::size_t number = known; number < dispatcher_->device_count(); ++number) {
      const CampaignDevice& where = dispatcher_->device(number);
      fleet_.devices.push_back({static_cast<std::uint32_t>(number),
                                static_cast<std::uint32_t>(where.agent),
                                {static_cast<std::int32_t>(where.place)},
                                "",
                                {}});
    }
    if (dispatcher_->has_fleet()) {
      stages_->set_fleet(fleet_);
    }
    if (fleet_.devices.size() > known) {
      write_campaign();
    }
  }

  void write_campaign() {
    if (dispatcher_->has_fleet()) {
      document_.fleet = fleet_;
    }
    CampaignDocument written = document_;
    written.candidates = stages_->candidates();
    written.devices_at_looks = stages_->devices_at_looks();
    directory_.write_campaign(written);
  }

  const Kind& kind_;
  World& world_;
  RunDirectory directory_;
  TimePoint now_{std::chrono::hours(1)};
  CampaignDocument document_;
  Fleet fleet_;
  std::map<std::uint32_t, LeftAttempt> left_;
  std::optional<Stages> stages_;
  std::optional<Dispatcher> dispatcher_;
  std::vector<EvaluatedTrial> before_;
  std::vector<EvaluatedTrial> done_;
  std::map<std::uint32_t, TrialRecorder> recorders_;
  std::deque<Attempt> running_;
  std::set<std::size_t> readied_;
  std::optional<Finish> finish_;
};

constexpr std::size_t kAll = 10'000;

void check_nothing_wrong(const World& world) {
  for (const std::string& what : world.wrong) {
    FAIL_CHECK(what);
  }
}

std::vector<std::string> undisturbed_plan(const Kind& kind) {
  World world;
  Life life(kind, world);
  life.run(kAll);
  REQUIRE(life.finish());
  CHECK(life.finish()->ending == Ending::complete);
  check_nothing_wrong(world);
  return life.plan();
}

bool begins_with(const std::vector<std::string>& all, const std::vector<std::string>& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

void check_kind(const Kind& kind) {
  INFO(kind.name);
  const auto plan = undisturbed_plan(kind);
  World world;
  std::size_t lives = 0;
  for (bool goes_on = true; goes_on; ++lives) {
    REQUIRE(lives <= plan.size() + 1);
    Life life(kind, world);
    goes_on = life.run(1);
    CHECK(begins_with(plan, life.plan()));
    check_nothing_wrong(world);
  }
  CHECK(world.recorded.size() == plan.size());
  Life finished(kind, world);  // one that is through stays as it is
  finished.run(kAll);
  CHECK(finished.plan() == plan);
  check_nothing_wrong(world);
  CHECK(finished.finish());
}

CampaignDocument document_of(const char* configs, std::uint64_t repeat, OrderKind order) {
  CampaignDocument document;
  document.candidates = candidates_of_list(configs);
  document.repeat = repeat;
  document.order = {order, order == OrderKind::random ? 42U : 0U};
  document.gates.drop_first = 1;
  document.session_id = "0123456789abcdef";
  return document;
}

CampaignDocument with(CampaignDocument document,
                      const std::function<void(CampaignDocument&)>& change) {
  change(document);
  return document;
}

constexpr const char* kTwo = "LoadBalance:2,LoadBalance:4";

TEST_CASE("resume: fixed rounds are planned as before, after each trial") {
  check_kind({"fixed order", document_of(kTwo, 3, OrderKind::fixed)});
  check_kind({"random order", document_of(kTwo, 3, OrderKind::random)});
  check_kind({"control runs", with(document_of(kTwo, 3, OrderKind::random),
                                   [](auto& document) { document.control = true; })});
  Kind offline{"offline", document_of(kTwo, 3, OrderKind::random)};
  offline.offline = true;
  check_kind(offline);
}

TEST_CASE("resume: rounds that devices share are planned as before, after each trial") {
  for (const OrderKind order : {OrderKind::fixed, OrderKind::random}) {
    check_kind({"share", document_of(kTwo, 5, order), {1, 2}});
    check_kind(
        {"share, joined late", document_of(kTwo, 5, order), {1, 2}, Spread::share, false, 4});
  }
}

TEST_CASE("resume: rounds that each device runs are planned as before, after each trial") {
  for (const OrderKind order : {OrderKind::fixed, OrderKind::random}) {
    check_kind({"replicate", document_of(kTwo, 2, order), {1, 2}, Spread::replicate});
    check_kind({"replicate, joined late",
                document_of(kTwo, 2, order),
                {1, 2},
                Spread::replicate,
                false,
                3});
    check_kind({"replicate, one device", document_of(kTwo, 2, order), {1}, Spread::replicate});
  }
}

TEST_CASE("resume: what is decided on the way is decided as before, after each trial") {
  const auto until_proven = [](auto& document) { document.max_repeat = 8; };
  const auto refine = [](auto& document) { document.refine = true; };
  const auto confirm = [](auto& document) { document.confirm_rounds = 2; };
  const CampaignDocument plain = document_of(kTwo, 3, OrderKind::random);
  check_kind({"until proven", with(plain, until_proven)});
  check_kind({"until proven, shared", with(plain, until_proven), {1, 1}});
  check_kind(
      {"until proven, joined late", with(plain, until_proven), {1, 2}, Spread::share, false, 11});
  check_kind({"refine", with(plain, refine)});
  check_kind({"refine, shared", with(plain, refine), {2}});
  check_kind({"confirm", with(plain, confirm)});
  check_kind({"all of it", with(with(with(plain, until_proven), refine), confirm), {1, 1}});
}

}  // namespace
}  // namespace mstune::coordinator
