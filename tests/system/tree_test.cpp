// Everything that a trial started is gone before its device is given to the next one, and a
// coordinator that leaves frees it at once.
#include <csignal>
#include <memory>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

bool runs(const std::string& marker) {
  return !processes_with("sleep" + std::string(1, '\0') + marker).empty();
}

bool eventually_says(Running& running, const std::string& text) {
  return eventually([&] { return running.output().find(text) != std::string::npos; });
}

double seconds_since(TimePoint begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A trial whose children leave its session, one of them its care as well, deaf to SIGTERM. All of
// them hold the lock that each trial takes, so that whoever outlived the device's last trial would
// be found by the next one. When the file "go" is there, a trial only writes its steps.
class Scene {
 public:
  // The markers are of the two children.
  Scene(std::string apart, std::string orphan, std::vector<std::string> agent_options = {})
      : faults_(std::move(agent_options)), apart_(std::move(apart)), orphan_(std::move(orphan)) {
    const std::string here = faults_.directory().string();
    faults_.place().write("tree.sh", "exec 9>> " + here + "/lock\nflock -n 9 || touch " + here +
                                         "/overlap\n" + "[ -e " + here + "/go ] && exec " +
                                         faults_.steps_command(10, 1) +
                                         "\n((trap '' TERM; exec setsid sleep " + orphan_ +
                                         ") &)\nsetsid sleep " + apart_ + " &\nwait\n");
  }

  FaultPlace& faults() { return faults_; }

  Running start(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--repeat", "1"});
    return faults_.start("/bin/bash " + (faults_.directory() / "tree.sh").string(), more);
  }
  // The next trials will not hang.
  void go() { faults_.place().write("go", ""); }

  [[nodiscard]] bool is_up() const { return runs(apart_) && runs(orphan_); }
  [[nodiscard]] bool is_gone() const { return !runs(apart_) && !runs(orphan_); }
  // Waits until the tree is up, lets another campaign queue for the device, and returns that one.
  std::unique_ptr<Running> queue_another() {
    REQUIRE(eventually([&] { return is_up(); }));
    go();
    auto other = std::make_unique<Running>(start());
    CHECK(eventually_says(*other, "waiting for"));
    return other;
  }

  void check_next(Running& next) {
    const Ended ended = next.wait(seconds(60));
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK_FALSE(fs::exists(faults_.directory() / "overlap"));
    CHECK(is_gone());
    CHECK(eventually([&] { return faults_.is_tidy(); }));
  }

 private:
  FaultPlace faults_;
  std::string apart_;
  std::string orphan_;
};

TEST_CASE(
    "trees: a tree is gone before the next trial after timeout, cancel, goodbye, lost "
    "coordinator") {
  // At the same time, because each takes the grace time of SIGTERM.
  Scene timeout("76001", "76002");
  Scene cancel("76003", "76004");
  Scene lost("76005", "76006", {"--reconnect-grace", "1"});
  Scene goodbye("76007", "76008", {"--reconnect-grace", "60"});
  Running timed_out = timeout.start({"--timeout", "3"});
  Running cancelled = cancel.start();
  Running killed = lost.start();
  Running leaves = goodbye.start();

  const auto after_lost = lost.queue_another();
  killed.signal(SIGKILL);
  const auto after_cancel = cancel.queue_another();
  cancelled.signal(SIGINT);
  const auto after_goodbye = goodbye.queue_another();
  leaves.signal(SIGINT);
  CHECK(eventually_says(leaves, "once more to leave at once"));
  leaves.signal(SIGINT);
  const TimePoint left = std::chrono::steady_clock::now();
  REQUIRE(eventually([&] { return timeout.is_up() || timed_out.has_ended(); }));
  timeout.go();

  timeout.check_next(timed_out);
  cancel.check_next(*after_cancel);
  CHECK(cancelled.wait().status == 130);
  goodbye.check_next(*after_goodbye);
  CHECK(seconds_since(left) < 30);  // its grace time is twice that
  CHECK(leaves.wait().status == 130);
  lost.check_next(*after_lost);
}

TEST_CASE("trees: a killed coordinator's own agent ends its trial long before the grace time") {
  Workplace place;
  place.write("tree.sh", "setsid sleep 76009 &\n(sleep 76010 &)\nwait\n");
  Running killed =
      place.start_tune({"--run-command", "/bin/bash " + (place.directory() / "tree.sh").string(),
                        "--configs", "LoadBalance:4", "--reconnect-grace", "60"});
  REQUIRE(eventually([] { return runs("76009") && runs("76010"); }));
  const TimePoint begin = std::chrono::steady_clock::now();
  killed.signal(SIGKILL);
  killed.wait();
  CHECK(eventually([&] {
    return !runs("76009") && !runs("76010") && !place.has_temporary_files() &&
           processes_with(place.directory().string()).empty();
  }));
  CHECK(seconds_since(begin) < 20);
}

}  // namespace
}  // namespace mstune::test
