// Answers what a coordinator asks about this machine: the facts for `mstune doctor`, and the tuning
// pass. The server hands requests and the time in and sends what comes back.
//
// Each question waits for the environment that it is about; bash sources set_env.sh meanwhile.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/cann_environment.h"
#include "agent/device_look.h"
#include "agent/pass_owners.h"
#include "agent/pass_pieces.h"
#include "common/os/pass_folder.h"
#include "common/os/recorder.h"
#include "protocol/codec.h"

namespace mstune::agent {

// When a pass that is held for a campaign is let go of without being asked for.
struct LeaseRules {
  // Since its holder renewed it or had a trial here.
  Duration silence_max = std::chrono::seconds(60);
  // Since its holder had a trial here, however often it is renewed; zero: none.
  Duration idle_max = Duration::zero();
  std::function<bool(const std::string& holder)> has_trials;  // nothing: nobody has
};

class BoxDesk {
 public:
  // Trials run below `work_dir`. `environments` must outlive this. What passes a former life held
  // for campaigns that may still run are held on, until they ask for the end or are gone for the
  // grace time.
  BoxDesk(std::filesystem::path work_dir, CannEnvironments& environments);
  // Lets go of all of them.
  ~BoxDesk();
  BoxDesk(const BoxDesk&) = delete;
  BoxDesk& operator=(const BoxDesk&) = delete;

  // True when the request was one for this desk, which then takes the payload.
  // `client` is whose campaign it is; empty at an agent without keys.
  bool handle(const std::string& campaign, const std::string& client,
              const protocol::Request& request, std::string& payload);
  // Nobody waits for the answers of this campaign any more.
  void forget(const std::string& campaign);
  // Answers what can be answered by now, and lets go of passes that nobody holds any more. While
  // something is measured here no libraries are read: then it is not known whether GE records
  // steps.
  void step(const LeaseRules& rules, bool measuring, TimePoint now);
  [[nodiscard]] bool holds_passes() const { return !held_.empty(); }
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const;

  // What is to be sent, to which campaign, in order.
  std::vector<std::pair<std::string, protocol::Report>> take_reports();

 private:
  struct Question {
    std::string campaign;
    std::string client;
    std::variant<protocol::Examine, protocol::ManagePass> what;
    std::string payload;
    // Under way, for Examine:
    std::unique_ptr<DeviceLook> look;
    std::optional<os::RecorderLook> recorder;
    TimePoint read_until = kNever;  // libraries; later they are not read on
    bool reads = false;
  };

  void wait_in_line(Question question);
  // Nothing while something that it needs is under way.
  std::optional<protocol::Report> answer(Question& question, bool measuring, TimePoint now);
  // True when nothing of the question is under way any more.
  static bool look(Question& question, const Environment& environment, bool measuring,
                   TimePoint now);
  // Throws a usage error for a client that holds as many as it may.
  void check_leases(const std::string& holder) const;
  [[nodiscard]] BoxFacts examine(const Environment& environment) const;
  [[nodiscard]] protocol::PassManaged manage(const Question& question,
                                             const protocol::ManagePass& request,
                                             const Environment& environment);

  struct Held {
    std::string opp_path;
    std::unique_ptr<os::HeldPass> pass;
    // From the next step() on where they are empty.
    std::optional<TimePoint> renewed = {};
    std::optional<TimePoint> worked = {};
    TimePoint ends = kNever;
  };

  void renew(const std::string& campaign, const std::string& holder);
  void end_leases(const LeaseRules& rules, TimePoint now);
  void take_over_passes();
  std::optional<Message> let_go(const std::string& holder);
  void let_go_of_all();
  void write_held() const;

  std::filesystem::path work_dir_;
  CannEnvironments& environments_;
  PassOwners owners_;
  std::vector<Question> questions_;
  PassPieces pieces_;
  std::map<std::string, Held> held_;  // by the holder's name; on disk as well
  std::vector<std::pair<std::string, protocol::Report>> reports_;
};

}  // namespace mstune::agent
