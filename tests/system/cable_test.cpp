// A cable between two machines that is pulled, plugged in again and slow: through the kernel's own
// network, where tests/system/proxy.h only holds bytes back.
#include <csignal>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/net_pair.h"

namespace mstune::test {
namespace {

using std::chrono::seconds;

constexpr int kSteps = 10;

// An agent at the far end, and a program there that writes steps once the file "go" is there.
class FarPlace {
 public:
  explicit FarPlace(const NetPair& pair, std::vector<std::string> options = {})
      : faults_(std::move(options), {pair.prefix(), pair.far_address()}) {
    const std::string directory = faults_.directory().string();
    faults_.place().write("wait.sh", "echo x >> " + directory + "/starts\nuntil [ -e " + directory +
                                         "/go ]; do read -r -t .02 nothing <> <(:); done\nexec " +
                                         faults_.steps_command(kSteps, 1) + "\n");
  }

  FaultPlace& faults() { return faults_; }
  void go() { faults_.place().write("go", ""); }
  [[nodiscard]] std::size_t starts() const {
    const auto file = faults_.directory() / "starts";
    return std::filesystem::exists(file) ? std::filesystem::file_size(file) / 2 : 0;
  }

  Running start(std::vector<std::string> more = {}) {
    return faults_.start("/bin/bash " + (faults_.directory() / "wait.sh").string(),
                         std::move(more));
  }

  [[nodiscard]] nlohmann::json summary() const {
    auto summary = faults_.comparable_summary();
    summary["target_host"] = "127.0.0.1";
    return summary;
  }

 private:
  FaultPlace faults_;
};

std::unique_ptr<NetPair> pair_or_message() {
  auto pair = NetPair::make();
  if (!pair) {
    MESSAGE("skipped: no network namespace can be made here");
  }
  return pair;
}

bool says(Running& running, const std::string& text) {
  return eventually([&] { return running.output().find(text) != std::string::npos; });
}

TEST_CASE("cable: pulled and plugged in within the grace time it costs nothing") {
  const auto pair = pair_or_message();
  if (!pair) {
    return;
  }
  FarPlace far(*pair);
  Running tune = far.start();
  REQUIRE(eventually([&] { return far.starts() == 1; }));
  pair->pull_cable();
  CHECK(says(tune, "the agent does not answer"));
  far.go();
  pair->plug_in();
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(far.starts() == 4);  // each trial once
  CHECK(far.summary() == undisturbed_summary(kSteps));
  CHECK(far.faults().is_tidy());
}

TEST_CASE("cable: pulled for longer, both sides give the trial up, and it is run again") {
  const auto pair = pair_or_message();
  if (!pair) {
    return;
  }
  FarPlace far(*pair, {"--reconnect-grace", "1"});
  Running tune = far.start({"--reconnect-grace", "1"});
  REQUIRE(eventually([&] { return far.starts() == 1; }));
  pair->pull_cable();
  CHECK(says(tune, "the agent was lost while it ran this trial"));
  CHECK(eventually([&] { return far.faults().is_tidy(); }));  // ended without being told
  far.go();
  pair->plug_in();
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(far.starts() == 5);
  CHECK(far.faults().place().summary().at("trials").at(0).at("attempt") == 2);
  CHECK(far.summary() == undisturbed_summary(kSteps));
}

TEST_CASE("cable: a slow one carries everything, later") {
  const auto pair = pair_or_message();
  if (!pair) {
    return;
  }
  FarPlace far(*pair);
  if (!pair->limit_rate(200)) {
    MESSAGE("skipped: this kernel cannot limit the rate");
    return;
  }
  far.go();
  const Ended ended = far.start().wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(far.summary() == undisturbed_summary(kSteps));
}

}  // namespace
}  // namespace mstune::test
