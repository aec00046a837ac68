// Any messages from any peers to an agent, whole: its desk, the jobs of its trials and its receiver
// of files, with programs and a store that are only told. Nothing that a peer sends reaches another
// client's trial, a device has one trial at a time, and what is kept for peers stays bounded.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <variant>

#include "agent/desk.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using namespace mstune;
using namespace mstune::agent;
using mstune::fuzz::check;
using mstune::fuzz::Feed;

constexpr std::size_t kSessionsMax = 4;
constexpr std::size_t kTrialsMax = 8;

desk::Options options_of(Feed& feed) {
  desk::Options options;
  options.greeting.instance = "i";
  options.sessions_max = kSessionsMax;
  options.trials_max = kTrialsMax;
  options.devices.resize(feed.byte() % 3);
  for (std::size_t i = 0; i < options.devices.size(); ++i) {
    options.devices[i] = static_cast<int>(i);
  }
  options.policy.emplace();
  options.policy->wait_max = std::chrono::seconds(1 + feed.byte());
  options.policy->file_bytes_max = 1U << 20U;
  return options;
}

class World {
 public:
  explicit World(Feed& feed)
      : feed_(feed), desk_(options_of(feed)), receiver_(download::Options{}) {}

  void run() {
    while (!feed_.empty()) {
      now_ += std::chrono::milliseconds(feed_.number() % 10000);
      step();
      tick();
      check(desk_.trials() == jobs_.size());
      check(jobs_.size() <= 2 * kTrialsMax);  // of two clients
    }
    stop();
  }

 private:
  struct Trial {
    Job job;
    std::string client;
    std::vector<int> devices;
    bool begun = false;
  };

  void step() {
    const std::uint8_t choice = feed_.byte();
    if (choice < 0x60) {
      say(protocol::pack(made_up_request()));
    } else if (choice < 0x80) {
      say(feed_.text(255));
    } else if (choice < 0xc0) {
      let_store_work();
    } else if (choice < 0xfc) {
      let_trial_go_on();
    } else {
      take_off(choice % 2 == 0 ? "ann" : "eve");
    }
  }

  // Its one key goes off the list.
  void take_off(const std::string& client) {
    act(desk_.handle(desk::KeysTakenOff{{client}, {client}}, now_));
    for (const auto& [key, trial] : jobs_) {
      check(trial.client != client || !desk_.peer_of_campaign(key.campaign));
    }
  }

  void tick() {
    if (now_ >= desk_.deadline()) {
      act(desk_.handle(desk::Tick{}, now_));
    }
    if (now_ >= receiver_.deadline()) {
      act(receiver_.handle(download::Tick{}, now_));
    }
    download::Measuring measuring;
    for (auto& [key, trial] : jobs_) {
      if (trial.job.is_at_work()) {
        measuring.sessions.push_back(desk_.session_of_campaign(key.campaign));
      }
    }
    act(receiver_.handle(measuring, now_));
    for (auto& [key, trial] : jobs_) {
      if (now_ >= trial.job.deadline()) {
        trial.job.handle(Tick{}, now_);
      }
    }
    remove_finished();
  }

  void say(std::string header) {
    const std::uint8_t who = feed_.byte();
    speaking_ = who % 2 == 0 ? "ann" : "eve";
    payload_bytes_ = feed_.number() % (protocol::kPayloadBytesMax + 1);
    act(desk_.handle(desk::MessageArrived{std::string(1, static_cast<char>('p' + who / 2 % 3)),
                                          speaking_, std::move(header), speaking_},
                     now_));
    speaking_.clear();
  }

  protocol::TrialKey made_up_key() {
    const std::uint8_t choice = feed_.byte();
    return {std::string(1, static_cast<char>('a' + choice % 3)), choice / 3U % 4U, 1 + choice / 64U,
            feed_.byte() % 8 == 0 ? "j" : "i"};
  }

  protocol::Request made_up_request() {
    switch (feed_.byte() % 17) {
      case 0:
      case 1: {
        protocol::Hello hello;
        hello.campaign = made_up_key().campaign;
        hello.oldest_major = static_cast<std::uint32_t>(feed_.number() % 3);
        return hello;
      }
      case 2:
        return protocol::Ping{feed_.number()};
      case 3:
      case 4: {
        protocol::Assign assign;
        assign.key = made_up_key();
        assign.events_from = feed_.number() % 4;
        assign.spec.command = {feed_.text(8)};
        assign.spec.shell = feed_.byte() % 4 == 0;
        assign.spec.om = feed_.text(2);
        return assign;
      }
      case 5:
        return protocol::Cancel{made_up_key(), feed_.text(8)};
      case 6:
        return protocol::Acknowledge{made_up_key(), feed_.number()};
      case 7:
        return protocol::Fetch{made_up_key(), static_cast<std::uint32_t>(feed_.number()),
                               feed_.number(), static_cast<std::uint32_t>(feed_.number())};
      case 8:
        return protocol::Release{made_up_key()};
      case 9:
        return protocol::Goodbye{};
      case 10:
        return protocol::Offer{feed_.number(),
                               {std::string(32, static_cast<char>(feed_.byte()))},
                               feed_.number(),
                               feed_.number()};
      case 11: {
        protocol::OfferPage page{feed_.number(), feed_.number(), {}, {}};
        page.lengths.resize(feed_.byte() % 4, static_cast<std::uint32_t>(feed_.number()));
        page.digests.value.resize(page.lengths.size() * 32 + feed_.byte() % 2);
        return page;
      }
      case 12:
        return protocol::Inspect{feed_.number()};
      case 13:
        return protocol::Purge{};
      case 14:
        return protocol::Examine{feed_.text(4)};
      case 15:
        return protocol::ManagePass{feed_.text(8), feed_.text(4), feed_.text(4)};
      default:
        return feed_.byte() % 2 == 0 ? protocol::Request(protocol::Piece{
                                           feed_.number(), feed_.number(), feed_.number()})
                                     : protocol::Request(protocol::Withdraw{feed_.number()});
    }
  }

  // ---- what the agent does ----

  void act(const std::vector<desk::Action>& actions) {
    for (const desk::Action& action : actions) {
      std::visit([this](const auto& asked) { act(asked); }, action);
    }
  }
  void act(const desk::Reply& reply) { check(reply.peer.size() == 1); }
  void act(const desk::PassToFiles& asked) {
    if (const auto* piece = std::get_if<protocol::Piece>(&asked.request)) {
      act(receiver_.handle(download::PieceArrived{asked.session, *piece, payload_bytes_}, now_));
    } else if (const auto* offer = std::get_if<protocol::Offer>(&asked.request)) {
      act(receiver_.handle(download::Arrived{asked.session, *offer}, now_));
    } else if (const auto* page = std::get_if<protocol::OfferPage>(&asked.request)) {
      act(receiver_.handle(download::Arrived{asked.session, *page}, now_));
    } else {
      act(receiver_.handle(
          download::Arrived{asked.session, std::get<protocol::Withdraw>(asked.request)}, now_));
    }
  }
  void act(const desk::EndSession& asked) {
    act(receiver_.handle(download::SessionEnded{asked.session}, now_));
  }
  void act(const desk::CreateTrial& asked) {
    check(asked.client == speaking_);
    check(jobs_.emplace(asked.key, Trial{Job(JobSettings{}), asked.client, {}, false}).second);
  }
  void act(const desk::BeginTrial& asked) {
    Trial& trial = jobs_.at(asked.key);
    check(!trial.begun);
    for (const auto& [key, other] : jobs_) {
      check(!other.begun || other.job.finished() || other.devices != asked.devices);
    }
    trial.begun = true;
    trial.devices = asked.devices;
    trial.job.begin(now_);
  }
  void act(const desk::TellTrial& asked) {
    Trial& trial = jobs_.at(asked.key);
    // Only its own client's messages, and the agent's own word: a timeout, a coordinator's silence.
    const bool from_peer = std::holds_alternative<CancelAsked>(asked.event) ||
                           std::holds_alternative<ReleaseAsked>(asked.event) ||
                           std::holds_alternative<Acknowledged>(asked.event) ||
                           std::holds_alternative<CoordinatorSeen>(asked.event);
    check(!from_peer || trial.client == speaking_);
    trial.job.handle(asked.event, now_);
  }
  void act(const desk::AskBox& asked) {
    const auto* pass = std::get_if<protocol::ManagePass>(&asked.request);
    check(pass == nullptr || pass->hold.starts_with(speaking_ + " "));
  }
  void act(const desk::HoldFile& asked) { held_.insert(asked.identity); }
  void act(const desk::LetGo& asked) {
    for (const Digest& identity : asked.files.unneeded) {
      const auto found = held_.find(identity);
      check(found != held_.end());  // held once for each time it is let go
      held_.erase(found);
    }
  }
  void act(const desk::ReportCondition& asked) {
    check(!asked.condition.devices.empty() && asked.condition.sessions > 0);
  }
  void act(const desk::PurgeStore& asked) {
    check(desk_.peer_of_session(asked.session).has_value());
  }
  void act(const desk::FetchFile& asked) { check(jobs_.at(asked.request.key).client == speaking_); }

  void act(const std::vector<download::Action>& actions) {
    for (const download::Action& action : actions) {
      if (const auto* job = std::get_if<download::StoreJob>(&action)) {
        store_jobs_.push_back(*job);
      } else if (const auto* sent = std::get_if<download::Send>(&action)) {
        if (const auto* refused = std::get_if<protocol::Refused>(&sent->message)) {
          act(desk_.handle(desk::UploadRefused{sent->session, refused->upload}, now_));
        }
      }
    }
    // A peer may wait for the store; it may not make the agent keep work without end.
    check(store_jobs_.size() <= kSessionsMax * 4096);
  }

  void let_store_work() {
    if (store_jobs_.empty()) {
      return;
    }
    const download::StoreJob job = store_jobs_.front();
    store_jobs_.pop_front();
    if (feed_.byte() % 16 == 0) {
      act(receiver_.handle(download::JobFailed{job.job, message("a.b", "why")}, now_));
    } else if (std::holds_alternative<download::LookUp>(job.what)) {
      act(receiver_.handle(download::LookedUp{job.job, feed_.byte() % 4 == 0, nullptr}, now_));
    } else if (const auto* open = std::get_if<download::Open>(&job.what)) {
      std::vector<bool> lacks(open->manifest->chunks.size());
      for (std::size_t i = 0; i < lacks.size(); ++i) {
        lacks[i] = feed_.byte() % 4 != 0;
      }
      act(receiver_.handle(download::Opened{job.job, std::move(lacks)}, now_));
    } else if (std::holds_alternative<download::Write>(job.what)) {
      act(receiver_.handle(download::Written{job.job}, now_));
    } else if (std::holds_alternative<download::Complete>(job.what)) {
      act(receiver_.handle(download::Completed{job.job}, now_));
    }
  }

  void let_trial_go_on() {
    if (jobs_.empty()) {
      return;
    }
    auto place = jobs_.begin();
    std::advance(place, feed_.byte() % jobs_.size());
    if (!place->second.begun) {
      return;
    }
    switch (feed_.byte() % 6) {
      case 0:
        place->second.job.handle(EnvironmentReady{}, now_);
        break;
      case 1:
        place->second.job.handle(ProgramStarted{1, 0, "x"}, now_);
        break;
      case 2:
        place->second.job.handle(LinesFound{{protocol::StepLine{{"stdout.log"}, 1, {"x"}}}}, now_);
        break;
      case 3:
        place->second.job.handle(ProgramExited{}, now_);
        break;
      case 4:
        place->second.job.handle(TreeEnded{0}, now_);
        break;
      default:
        place->second.job.handle(OutputDrained{}, now_);
        break;
    }
  }

  void remove_finished() {
    for (auto place = jobs_.begin(); place != jobs_.end();) {
      if (!place->second.job.finished()) {
        ++place;
        continue;
      }
      const protocol::TrialKey key = place->first;
      const unsigned drawn = feed_.byte();
      act(desk_.handle(desk::TrialGone{key, drawn % 32 == 31}, now_));
      if (drawn % 64 == 63) {
        act(desk_.handle(desk::StuckGone{key}, now_));
      }
      jobs_.erase(key);
      place = jobs_.begin();
    }
  }

  // Whatever state it was in, it can be stopped.
  void stop() {
    act(desk_.handle(desk::StopAsked{}, now_));
    check(!desk_.peer_of_campaign("a"));
    while (!store_jobs_.empty()) {
      let_store_work();
    }
  }

  Feed& feed_;
  Desk desk_;
  download::Machine receiver_;
  std::map<protocol::TrialKey, Trial> jobs_;
  std::deque<download::StoreJob> store_jobs_;
  std::multiset<Digest> held_;
  TimePoint now_{std::chrono::hours(1)};
  std::string speaking_;  // the client whose message is handled; empty between messages
  std::uint64_t payload_bytes_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  Feed feed(data, size);
  World(feed).run();
  return 0;
}
