// kill -9 and SIGSTOP at random points of campaigns: whatever is hit, the summary is the one of a
// campaign that nobody disturbed, and nothing is left behind.
#include <csignal>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int kSteps = 10;
constexpr int kPauseMs = 15;

// One campaign, hit again and again until it is through. Each hit comes at a random time, which is
// the point of it: nothing is waited for.
class Storm {
 public:
  explicit Storm(std::uint64_t seed)
      : random_(seed), command_(faults_.steps_command(kSteps, kPauseMs)) {
    tune_ = std::make_unique<Running>(faults_.start(command_));
  }

  // Returns how often something was hit.
  int run(int points_max) {
    int points = 0;
    while (points < points_max && !ends_within(between(20, 700))) {
      hit();
      ++points;
    }
    last_ = tune_->wait();
    return points;
  }

  void check() {
    INFO(last_.output);
    CHECK(last_.status == 0);
    CHECK(faults_.comparable_summary() == undisturbed_summary(kSteps));
    CHECK(eventually([&] { return faults_.is_tidy(); }, std::chrono::seconds(10)));
  }

 private:
  milliseconds between(int low, int high) {
    return milliseconds(low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low)));
  }

  bool ends_within(milliseconds wait) {
    return eventually([&] { return tune_->has_ended(); }, wait);
  }

  void hit() {
    switch (random_() % 4) {
      case 0:
        faults_.kill_agent();
        faults_.start_agent();
        break;
      case 1:
        stop_for_a_while(faults_.agent());
        break;
      case 2:
        stop_for_a_while(*tune_);
        break;
      default:
        kill_coordinator();
    }
  }

  void stop_for_a_while(const Running& program) {
    program.signal(SIGSTOP);
    std::this_thread::sleep_for(between(1, 300));  // the fault itself
    program.signal(SIGCONT);
  }

  void kill_coordinator() {
    tune_->signal(SIGKILL);
    tune_->wait();
    const bool has_begun = faults_.place().has_run_directory() &&
                           fs::exists(faults_.place().run_directory() / "campaign.json");
    if (!has_begun) {
      fs::remove_all(faults_.directory() / "out");
    }
    tune_ =
        std::make_unique<Running>(has_begun ? faults_.resume(command_) : faults_.start(command_));
  }

  FaultPlace faults_;
  std::mt19937_64 random_;
  std::string command_;
  std::unique_ptr<Running> tune_;
  Ended last_;
};

TEST_CASE("points: kill -9 and SIGSTOP at fifty random points change nothing in the summary") {
  int points = 0;
  for (std::uint64_t seed = 1; points < how_many(50); ++seed) {
    CAPTURE(seed);
    Storm storm(seed);
    points += storm.run(12);
    storm.check();
  }
}

TEST_CASE("points: a hundred campaigns leave the agent with as many descriptors as before") {
  FaultPlace faults;
  const auto campaigns = [&](int count) {
    for (int i = 0; i < count; ++i) {
      fs::remove_all(faults.directory() / "out");
      Running tune = faults.start("/bin/true", {"--repeat", "1"});
      CHECK(tune.wait().status == 1);  // it writes no step
    }
    return faults.agent_descriptors();
  };
  const std::size_t before = campaigns(3);
  CHECK(campaigns(how_many(97)) <= before);
  CHECK(faults.is_tidy());
}

}  // namespace
}  // namespace mstune::test
