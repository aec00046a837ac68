#include "agent/box_desk.h"

#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/shared_library.h"
#include "tests/unit/made_library.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;
using protocol::ManagePass;
using std::chrono::seconds;

constexpr Duration kGrace = seconds(60);
const LeaseRules kNobodyWorks{kGrace, {}, {}};
constexpr const char* kCampaign = "c0ffee";

std::uint16_t machine_here() {
  return os::architecture() == "aarch64" ? EM_AARCH64 : EM_X86_64;
}

std::string pass_for(std::uint16_t machine) {
  return made_library(machine, "libgraph.so", std::string(kPassSymbol), Symbol::offered);
}

// A desk in an environment with a CANN of its own.
struct Place {
  fs::path path = os::make_unique_directory("/tmp", "mstune-desk-");
  CannEnvironments environments{path,
                                {{"ASCEND_OPP_PATH", (path / "opp").string()}, {"PATH", "/bin"}}};
  BoxDesk desk{path / "work", environments};
  TimePoint now{};
  std::string client = "ann";

  Place() {
    os::make_directory(path / "opp" / "vendors");
    os::make_directory(path / "work");
  }
  ~Place() { os::remove_tree(path); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  protocol::Report ask(const protocol::Request& request, std::string payload = {}) {
    CHECK(desk.handle(kCampaign, client, request, payload));
    desk.step(kNobodyWorks, false, now);
    auto reports = desk.take_reports();
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].first == kCampaign);
    return reports[0].second;
  }
  protocol::PassManaged manage(const char* action, std::string library = {}) {
    return std::get<protocol::PassManaged>(
        ask(ManagePass{action, "", "process 7 on host"}, std::move(library)));
  }
  [[nodiscard]] bool is_installed() const {
    return fs::exists(path / "opp/vendors/zz_mstune/custom_fusion_passes/libmstune_pass.so");
  }
};

TEST_CASE("box desk: other requests are not its own and keep their payload") {
  Place place;
  std::string payload = "bytes";
  CHECK_FALSE(place.desk.handle(kCampaign, "ann", protocol::Ping{1}, payload));
  CHECK(payload == "bytes");
}

TEST_CASE("box desk: the facts are those of the environment that is asked about") {
  Place place;
  std::string none;
  CHECK(place.desk.handle(kCampaign, "ann", protocol::Examine{}, none));
  place.desk.step(kNobodyWorks, false, place.now);
  // npu-smi may be there and take its time.
  while (place.desk.deadline() != kNever) {
    os::wait_readable(place.desk.descriptors().front(), seconds(1));
    place.desk.step(kNobodyWorks, false, place.now);
  }
  const auto reports = place.desk.take_reports();
  REQUIRE(reports.size() == 1);
  const auto& facts = std::get<protocol::Examined>(reports[0].second).facts;
  CHECK(facts.opp_exists);
  CHECK(facts.work.path == (place.path / "work").string());
  CHECK_FALSE(facts.variables.contains("PATH"));
}

// What a desk says of a toolkit whose GE has this library, asked while something is measured or
// not.
std::string recorder_seen(const std::string& library, bool measuring) {
  Place place;
  os::make_directory(place.path / "cann" / "lib64");
  os::write_file_atomically(place.path / "cann/lib64/libge_executor.so", library);
  CannEnvironments environments{
      place.path, {{"ASCEND_HOME_PATH", (place.path / "cann").string()}, {"PATH", "/nowhere"}}};
  BoxDesk desk{place.path / "work", environments};
  std::string none;
  CHECK(desk.handle(kCampaign, "ann", protocol::Examine{}, none));
  auto reports = desk.take_reports();
  for (int steps = 0; reports.empty() && steps < 100; ++steps) {
    desk.step(kNobodyWorks, measuring, place.now);
    reports = desk.take_reports();
    // It asks for its next turn at once, and has no descriptor that would tell.
    CHECK(desk.deadline() == (reports.empty() ? TimePoint::min() : kNever));
  }
  REQUIRE(reports.size() == 1);
  return std::get<protocol::Examined>(reports[0].second).facts.recorder;
}

TEST_CASE("box desk: GE's libraries are read a piece at a time, and not while it is measured") {
  const std::string long_one = std::string(5U << 20U, 'x') + "[GE_MS_TUNE][STEP]";
  CHECK(recorder_seen(long_one, false) == kRecorderPresent);
  CHECK(recorder_seen(std::string(5U << 20U, 'x'), false) == kRecorderAbsent);
  CHECK(recorder_seen(long_one, true).empty());
}

TEST_CASE("box desk: a set_env.sh that is not there is an answer, too") {
  Place place;
  const auto report = place.ask(protocol::Examine{"/nonexistent/set_env.sh"});
  CHECK(std::get<protocol::Examined>(report).failure.id == "agent.cann_env_missing");
}

TEST_CASE("box desk: install and remove say where, and whether it was there") {
  Place place;
  const auto installed = place.manage(protocol::kPassInstall, pass_for(machine_here()));
  CHECK(installed.failure.text.empty());
  CHECK(fs::exists(installed.path));
  CHECK(place.manage(protocol::kPassRemove).was_there);
  CHECK_FALSE(place.manage(protocol::kPassRemove).was_there);
  CHECK_FALSE(place.is_installed());
}

TEST_CASE("box desk: what GE could not load is refused") {
  Place place;
  const std::uint16_t other = machine_here() == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  CHECK(place.manage(protocol::kPassInstall, pass_for(other)).failure.id ==
        "pass.other_architecture_here");
  CHECK(place.manage(protocol::kPassInstall, "no library").failure.id == "pass.not_a_pass_here");
  // The words of a pass make none, nor does asking for its symbol.
  for (const std::string& library :
       {made_library(machine_here(), "libgraph.so", "x") + std::string(kModeAttribute),
        made_library(machine_here(), "libgraph.so", std::string(kPassSymbol))}) {
    CHECK(place.manage(protocol::kPassInstall, library).failure.id == "pass.not_a_pass_here");
  }
  CHECK(place.manage("explode").failure.id == "agent.unknown_pass_action");
  CHECK_FALSE(place.is_installed());
}

TEST_CASE("box desk: what one client installed another neither removes nor exchanges") {
  Place place;
  const std::string library = pass_for(machine_here());
  CHECK(place.manage(protocol::kPassInstall, library).failure.text.empty());
  place.client = "bob";
  CHECK(place.manage(protocol::kPassRemove).failure.id == "pass.of_another");
  CHECK(place.manage(protocol::kPassInstall, library).failure.id == "pass.of_another");
  // An agent that is started again knows it.
  BoxDesk again(place.path / "work", place.environments);
  std::string none;
  CHECK(again.handle(kCampaign, "bob", ManagePass{protocol::kPassRemove, "", ""}, none));
  again.step(kNobodyWorks, false, place.now);
  CHECK(std::get<protocol::PassManaged>(again.take_reports().at(0).second).failure.id ==
        "pass.of_another");
  place.client = "ann";
  CHECK(place.manage(protocol::kPassRemove).was_there);
  place.client = "bob";
  CHECK(place.manage(protocol::kPassInstall, library).failure.text.empty());
}

TEST_CASE("box desk: a library that comes in pieces is installed with the last one") {
  Place place;
  const std::string library = pass_for(machine_here());
  ManagePass piece{protocol::kPassInstall, "", ""};
  piece.size = library.size();
  std::string first = library.substr(0, 100);
  CHECK(place.desk.handle(kCampaign, "ann", piece, first));
  place.desk.step(kNobodyWorks, false, place.now);
  CHECK(place.desk.take_reports().empty());
  piece.offset = 100;
  const auto done = std::get<protocol::PassManaged>(place.ask(piece, library.substr(100)));
  CHECK(done.failure.text.empty());
  CHECK(os::read_file(done.path) == library);
}

TEST_CASE("box desk: a held pass goes when it is released") {
  Place place;
  CHECK_FALSE(place.manage(protocol::kPassHold, pass_for(machine_here())).was_there);
  CHECK(place.is_installed());
  CHECK(place.desk.holds_passes());
  CHECK(place.manage(protocol::kPassRelease).was_there);
  CHECK_FALSE(place.is_installed());
}

TEST_CASE("box desk: a held pass goes when nobody has been there for the grace time") {
  Place place;
  static_cast<void>(place.manage(protocol::kPassHold, pass_for(machine_here())));
  CHECK(place.desk.deadline() == place.now + kGrace);
  place.desk.step(kNobodyWorks, false, place.now + kGrace - Duration(1));
  CHECK(place.is_installed());
  place.desk.step(kNobodyWorks, false, place.now + kGrace);
  CHECK_FALSE(place.is_installed());
  CHECK(place.desk.deadline() == kNever);
}

// Renews it at that time; what the desk says to that.
std::vector<std::pair<std::string, protocol::Report>> renew(Place& place, const LeaseRules& rules,
                                                            TimePoint now) {
  std::string none;
  CHECK(place.desk.handle(kCampaign, "ann",
                          ManagePass{protocol::kPassRenew, "", "process 7 on host"}, none));
  place.desk.step(rules, false, now);
  return place.desk.take_reports();
}

TEST_CASE("box desk: a held pass stays while it is renewed, or its holder has a trial here") {
  Place place;
  static_cast<void>(place.manage(protocol::kPassHold, pass_for(machine_here())));
  const TimePoint renewed = place.now + kGrace - Duration(1);
  CHECK(renew(place, kNobodyWorks, renewed).empty());
  place.desk.step(kNobodyWorks, false, renewed + kGrace - Duration(1));
  CHECK(place.is_installed());
  LeaseRules works = kNobodyWorks;
  works.has_trials = [](const std::string& holder) { return holder == "process 7 on host"; };
  const TimePoint worked = renewed + 10 * kGrace;
  place.desk.step(works, false, renewed + kGrace - Duration(1));
  place.desk.step(works, false, worked);
  CHECK(place.is_installed());
  place.desk.step(kNobodyWorks, false, worked + kGrace);
  CHECK_FALSE(place.is_installed());
  const auto lost = renew(place, kNobodyWorks, worked + kGrace);
  REQUIRE(lost.size() == 1);
  CHECK(std::get<protocol::PassManaged>(lost.front().second).failure.id == "agent.pass_not_held");
}

TEST_CASE("box desk: renewing alone holds a pass no longer than the owner's run-time") {
  Place place;
  static_cast<void>(place.manage(protocol::kPassHold, pass_for(machine_here())));
  LeaseRules rules = kNobodyWorks;
  rules.idle_max = seconds(90);
  const TimePoint begun = place.now;
  CHECK(renew(place, rules, begun + seconds(50)).empty());
  CHECK(renew(place, rules, begun + seconds(90) - Duration(1)).empty());
  CHECK(place.is_installed());
  place.desk.step(rules, false, begun + seconds(90));
  CHECK_FALSE(place.is_installed());
}

TEST_CASE("box desk: an agent that is started again holds on what its killed life held") {
  Place place;
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(place.manage(protocol::kPassHold, pass_for(machine_here())));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(place.is_installed());
  BoxDesk again{place.path / "work", place.environments};
  CHECK(again.holds_passes());
  SUBCASE("until the campaign lets go of it") {
    std::string none;
    CHECK(again.handle(kCampaign, "ann",
                       ManagePass{protocol::kPassRelease, "", "process 7 on host"}, none));
    again.step(kNobodyWorks, false, place.now);
    const auto reports = again.take_reports();
    REQUIRE(reports.size() == 1);
    CHECK(std::get<protocol::PassManaged>(reports[0].second).was_there);
  }
  SUBCASE("until nobody has come back for the grace time") {
    again.step(kNobodyWorks, false, place.now);  // it counts from now on
    again.step(kNobodyWorks, false, place.now + kGrace);
  }
  CHECK_FALSE(place.is_installed());
  CHECK_FALSE(again.holds_passes());
  CHECK_FALSE(BoxDesk(place.path / "work", place.environments).holds_passes());
}

TEST_CASE("box desk: who holds it a second time still holds it once") {
  Place place;
  static_cast<void>(place.manage(protocol::kPassHold, pass_for(machine_here())));
  CHECK_FALSE(place.manage(protocol::kPassHold, pass_for(machine_here())).was_there);
  static_cast<void>(place.manage(protocol::kPassRelease));
  CHECK_FALSE(place.is_installed());
}

TEST_CASE("box desk: answers for a coordinator that has left are not made") {
  Place place;
  std::string none;
  for (int i = 0; i < 17; ++i) {
    CHECK(place.desk.handle(kCampaign, "ann", ManagePass{protocol::kPassRemove, "", ""}, none));
  }
  CHECK(place.desk.take_reports().size() == 1);  // more wait than anybody needs
  place.desk.forget(kCampaign);
  place.desk.step(kNobodyWorks, false, place.now);
  CHECK(place.desk.take_reports().empty());
}

TEST_CASE("box desk: a client holds no more passes than it may, another one still can") {
  Place place;
  const std::string library = pass_for(machine_here());
  const auto hold = [&](const std::string& holder) {
    return std::get<protocol::PassManaged>(
        place.ask(ManagePass{protocol::kPassHold, "", holder}, library));
  };
  for (int campaign = 0; campaign < 16; ++campaign) {
    CHECK(hold("ann process " + std::to_string(campaign)).failure.text.empty());
  }
  CHECK(hold("ann process 16").failure.id == "agent.too_many_leases");
  CHECK(hold("ann process 3").failure.text.empty());  // again
  CHECK(hold("bob process 1").failure.text.empty());
}

}  // namespace
}  // namespace mstune::agent
