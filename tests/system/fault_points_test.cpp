// Faults at random points of campaigns, several in each: whatever is hit, the summary is the one of
// a campaign that nobody disturbed, no trial ran beside another one on the device, and nothing is
// left behind.
#include <array>
#include <csignal>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/proxy.h"

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
  explicit Storm(std::uint64_t seed) : random_(seed), network_(faults_.port()) {
    faults_.aim_at(network_.port());
    const std::string directory = faults_.directory().string();
    faults_.place().write("locked.sh",
                          "exec 9> " + directory + "/device\nflock -n 9 || echo x >> " + directory +
                              "/beside\nexec " + faults_.steps_command(kSteps, kPauseMs) + "\n");
    command_ = "/bin/bash " + directory + "/locked.sh";
    tune_ = std::make_unique<Running>(faults_.start(command_));
  }

  // Returns how often something was hit.
  int run(int points_max) {
    int points = 0;
    for (;;) {
      const bool has_ended = ends_within(between(20, 700));
      if (has_ended && !is_faulty_) {
        break;
      }
      if (has_ended || points == points_max) {
        give_up_faults();
      }
      if (points == points_max) {
        break;
      }
      hit();
      ++points;
    }
    last_ = tune_->wait();
    return points;
  }

  void check() {
    INFO(hits_);
    INFO(last_.output);
    CHECK(last_.status == 0);
    check_same(faults_.comparable_summary(), undisturbed_summary(kSteps));
    CHECK_FALSE(fs::exists(faults_.directory() / "beside"));
    CHECK(eventually([&] { return faults_.is_tidy(); }, std::chrono::seconds(10)));
  }

 private:
  int number(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low));
  }
  milliseconds between(int low, int high) { return milliseconds(number(low, high)); }

  bool ends_within(milliseconds wait) {
    return eventually([&] { return tune_->has_ended(); }, wait);
  }

  void hit() {
    switch (number(0, 8)) {
      case 0:
        return kill_agent({});
      case 1:
        return stop_for_a_while("stop agent", faults_.agent());
      case 2:
        return stop_for_a_while("stop mstune", *tune_);
      case 3:
        return end_coordinator(SIGKILL);
      case 4:
        return end_coordinator(std::array{SIGINT, SIGTERM, SIGHUP}.at(random_() % 3));
      case 5:
        hits_ += "cut; ";
        return network_.cut();
      case 6:
        is_faulty_ = true;
        return kill_agent(disk_fault("mstune-agent"));
      default:
        is_faulty_ = true;
        for (const auto& [variable, value] : disk_fault("mstune")) {
          faults_.place().environment()[variable] = value;
        }
        return end_coordinator(SIGKILL);
    }
  }

  // From one of its calls on.
  Variables disk_fault(const std::string& program_name) {
    const char* const what = std::array{"enospc", "edquot", "erofs", "eio"}.at(random_() % 4);
    const std::string sweep = program_name + ":" + std::to_string(number(1, 120)) + ":" + what;
    hits_ += sweep + " ";
    return fault_variables(faults_.directory() / "counter", sweep);
  }

  // The disk has room again.
  void give_up_faults() {
    if (std::exchange(is_faulty_, false)) {
      faults_.place().environment().erase("LD_PRELOAD");
      kill_agent({});
      end_coordinator(SIGTERM);
    }
  }

  void kill_agent(const Variables& fault) {
    hits_ += "kill agent; ";
    faults_.kill_agent();
    faults_.start_agent(fault);
  }

  void stop_for_a_while(const char* what, const Running& program) {
    hits_ += std::string(what) + "; ";
    program.signal(SIGSTOP);
    std::this_thread::sleep_for(between(1, 300));  // the fault itself
    program.signal(SIGCONT);
  }

  // It goes on at once.
  void end_coordinator(int signal) {
    hits_ += "signal " + std::to_string(signal) + "; ";
    tune_->signal(signal);
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
  Proxy network_;
  std::string command_;
  std::unique_ptr<Running> tune_;
  bool is_faulty_ = false;  // a disk of one of them is, or will be
  std::string hits_;        // in words, for whoever reads of a failure
  Ended last_;
};

TEST_CASE("points: whatever happens at random points, nothing changes in the summary") {
  int points = 0;
  for (std::uint64_t seed = 1; points < how_many(15, 1000); ++seed) {
    CAPTURE(seed);
    Storm storm(seed);
    points += storm.run(6);
    storm.check();
    if (seed % 20 == 0) {
      MESSAGE(points, " points in ", seed, " campaigns");
    }
  }
}

TEST_CASE("points: many campaigns leave the agent with as many descriptors as before") {
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
  CHECK(campaigns(how_many(17, 997)) <= before);
  CHECK(faults.is_tidy());
}

}  // namespace
}  // namespace mstune::test
