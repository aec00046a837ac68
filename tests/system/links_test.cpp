// Every way in which a connection can break, at every moment of a campaign: healed within the grace
// time it costs nothing, and work goes on within two seconds.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/system/box.h"
#include "tests/system/fault_place.h"
#include "tests/system/proxy.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Way {
  const char* name;
  Network network;
};
constexpr std::array<Way, 7> kWays{{{"refused", Network::refused},
                                    {"dropped", Network::dropped},
                                    {"reset", Network::reset},
                                    {"cut at a byte", Network::cut_short},
                                    {"half open", Network::half_open},
                                    {"one direction", Network::only_to_agent},
                                    {"silent", Network::silent}}};

constexpr int kSteps = 10;

// MSTUNE_TEST_LONG: all of them, each long enough for either side to lose patience, and healed
// within the two seconds that are promised. Else those that are named, briefly, and there is room
// for a machine that has other things to do.
std::vector<Way> ways_or(const std::vector<Network>& these) {
  std::vector<Way> ways(kWays.begin(), kWays.end());
  std::erase_if(ways, [&](const Way& way) {
    return !is_long() && std::find(these.begin(), these.end(), way.network) == these.end();
  });
  return ways;
}

milliseconds outage() {
  return milliseconds(how_many(700, 9000));
}

Duration heals_within() {
  return milliseconds(how_many(4500, 2000));
}

Duration took(const std::function<bool()>& condition) {
  const auto began = std::chrono::steady_clock::now();
  eventually(condition);
  return std::chrono::steady_clock::now() - began;
}

void let_pass(Running& tune, milliseconds time) {
  static_cast<void>(eventually([&] { return tune.has_ended(); }, time));
}

void break_for_a_while(Proxy& proxy, const Way& way, Running& tune) {
  proxy.cut_after(100);  // in the middle of a handshake
  proxy.become(way.network);
  let_pass(tune, outage());
  proxy.become(Network::whole);
}

void check_first_attempts(Workplace& place, const Ended& ended, std::size_t trials) {
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto all = place.trials();
  CHECK(all.size() == trials);
  for (const auto& trial : all) {
    CHECK(trial.at("attempt") == 1);
    CHECK(trial.at("valid") == true);
    CHECK(trial.at("step_count") == kSteps);
  }
}

// A program whose run number n waits for the file "go-n", and then writes STEP lines.
class Gates {
 public:
  explicit Gates(Workplace& place, const std::string& more = "") : place_(place) {
    const std::string directory = place.directory().string();
    place.write("gate.sh", "echo x >> " + directory + "/starts\nn=$(wc -l < " + directory +
                               "/starts)\nuntil [ -e " + directory + "/go-$n -o -e " + directory +
                               "/go ]; do read -r -t .01 nothing <> <(:); done\n" + more + "exec " +
                               steps_command(place, kSteps, 1) + "\n");
  }

  [[nodiscard]] std::string command() const {
    return "/bin/bash " + (place_.directory() / "gate.sh").string();
  }
  [[nodiscard]] std::size_t starts() const {
    const auto file = place_.directory() / "starts";
    return fs::exists(file) ? fs::file_size(file) / 2 : 0;
  }
  void open(std::size_t number) const { place_.write("go-" + std::to_string(number), ""); }
  void open_all() const { place_.write("go", ""); }
  [[nodiscard]] bool wait_for(std::size_t number) const {
    return eventually([&] { return starts() >= number; });
  }

 private:
  Workplace& place_;
};

TEST_CASE("links: each way costs a running trial nothing, and the next one begins within 2 s") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  const Gates gates(faults.place());
  Running tune = faults.start(gates.command(), {"--repeat", "4", "--retries", "0"});
  REQUIRE(gates.wait_for(1));
  gates.open(1);
  // So long it takes here when nothing is amiss.
  const Duration usual = took([&] { return gates.starts() >= 2; });
  std::size_t number = 2;
  const std::vector<Way> ways = ways_or({Network::dropped, Network::cut_short, Network::half_open});
  for (const Way& way : ways) {
    REQUIRE(gates.wait_for(number));
    break_for_a_while(proxy, way, tune);
    gates.open(number++);
    const Duration wait = took([&] { return gates.starts() >= number || tune.has_ended(); });
    CHECK_MESSAGE(wait < heals_within() + 3 * usual, way.name, ": ",
                  std::chrono::duration<double>(wait).count(), " s");
  }
  gates.open_all();
  check_first_attempts(faults.place(), tune.wait(), 8);
  CHECK(eventually([&] { return faults.is_tidy(); }));
}

// That so many bytes go through again.
Duration flows(const std::function<std::uint64_t()>& bytes, Running& tune) {
  constexpr std::uint64_t kFlowing = 150'000;
  const std::uint64_t before = bytes();
  return took([&] { return bytes() > before + kFlowing || tune.has_ended(); });
}

TEST_CASE("links: each way costs an upload nothing, and it goes on within 2 s") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  proxy.limit_rate(1'000'000);
  faults.aim_at(proxy.port());
  faults.write_offline_run();
  const std::string directory = faults.directory().string();
  faults.place().write("build.sh", "head -c 5000000 /dev/urandom > \"$1\"\n");
  Running tune = faults.place().start_tune(
      {"--target", "target.json", "--mode", "offline", "--configs", "LoadBalance:4", "--repeat",
       "1", "--retries", "0", "--compile-command", "/bin/bash " + directory + "/build.sh {om}",
       "--run-command", "/bin/bash " + directory + "/run.sh {om}"});
  const auto bytes = [&] { return proxy.bytes_to_agent(); };
  for (const Way& way : ways_or({Network::half_open})) {
    const std::uint64_t before = proxy.bytes_to_agent();
    REQUIRE(eventually([&] { return proxy.bytes_to_agent() > before + 600'000; }));
    break_for_a_while(proxy, way, tune);
    const Duration wait = flows(bytes, tune);
    CHECK_MESSAGE(wait < heals_within() + seconds(1), way.name, ": ",
                  std::chrono::duration<double>(wait).count(), " s");
  }
  proxy.limit_rate(0);
  check_first_attempts(faults.place(), tune.wait(), 2);
}

TEST_CASE("links: each way costs files that come back nothing, and they go on within 2 s") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  const Gates gates(faults.place(),
                    "mkdir -p $ASCEND_PROCESS_LOG_PATH/run/plog\nhead -c 6000000 /dev/zero | tr "
                    "'\\0' '\\n' > $ASCEND_PROCESS_LOG_PATH/run/plog/plog-1_1.log\n");
  Running tune = faults.start(gates.command(), {"--repeat", "1", "--retries", "0"});
  REQUIRE(gates.wait_for(1));
  proxy.limit_rate(1'000'000);
  gates.open(1);
  const auto bytes = [&] { return proxy.bytes_from_agent(); };
  for (const Way& way : ways_or({Network::half_open})) {
    const std::uint64_t before = proxy.bytes_from_agent();
    REQUIRE(eventually([&] { return proxy.bytes_from_agent() > before + 400'000; }));
    REQUIRE(gates.starts() == 1);
    break_for_a_while(proxy, way, tune);
    const Duration wait = flows(bytes, tune);
    CHECK_MESSAGE(wait < heals_within() + seconds(1), way.name, ": ",
                  std::chrono::duration<double>(wait).count(), " s");
  }
  proxy.limit_rate(0);
  gates.open_all();
  check_first_attempts(faults.place(), tune.wait(), 2);
}

// Two boxes, each behind a network of its own; both break at once, each in its own way.
void break_fleet(const std::string& spread, std::size_t trials) {
  Workplace place;
  write_steps_program(place);
  Box first(place, "first", {"--devices", "0"});
  Box second(place, "second", {"--devices", "1"});
  Proxy to_first(std::stoi(first.port()));
  Proxy to_second(std::stoi(second.port()));
  write_inventory(place, {std::to_string(to_first.port()), std::to_string(to_second.port())});
  const Gates gates(place);
  Running tune =
      place.start_tune({"--run-command", gates.command(), "--inventory", "boxes.json", "--spread",
                        spread, "--configs", "LoadBalance:4", "--repeat", "8", "--retries", "0"});
  const std::vector<Way> ways = ways_or({Network::half_open});
  for (std::size_t at = 0; at < ways.size(); ++at) {
    REQUIRE(gates.wait_for(2 * at + 2));
    for (Proxy* proxy : {&to_first, &to_second}) {
      proxy->cut_after(40);
    }
    to_first.become(ways[at].network);
    to_second.become(ways[(at + 1) % ways.size()].network);
    let_pass(tune, outage());
    to_first.become(Network::whole);
    to_second.become(Network::whole);
    gates.open(2 * at + 1);
    gates.open(2 * at + 2);
    const Duration wait = took([&] { return gates.starts() >= 2 * at + 4 || tune.has_ended(); });
    CHECK_MESSAGE(wait < heals_within() + seconds(1), ways[at].name, ": ",
                  std::chrono::duration<double>(wait).count(), " s");
  }
  gates.open_all();
  check_first_attempts(place, tune.wait(), trials);
}

TEST_CASE("links: a fleet that shares rounds loses none to any way") {
  break_fleet("share", 16);
}

TEST_CASE("links: a fleet in which each runs everything loses none to any way" *
          doctest::skip(!is_long())) {
  break_fleet("replicate", 32);
}

TEST_CASE("links: an agent that is started again behind one is found again, and nobody blamed") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  const Gates gates(faults.place());
  Running tune = faults.start(gates.command(), {"--repeat", "1"});
  REQUIRE(gates.wait_for(1));
  faults.kill_agent();  // the proxy takes connections and drops them
  let_pass(tune, milliseconds(how_many(1000, 3000)));
  CHECK_FALSE(tune.has_ended());
  faults.start_agent();
  const Duration wait = took([&] { return gates.starts() >= 2 || tune.has_ended(); });
  CHECK(wait < heals_within() + seconds(1));
  gates.open_all();
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.place().trials().at(0).at("attempt") == 2);
}

// A campaign that begins while the way to its agent ends every connection.
class ClosedWay {
 public:
  ClosedWay() : proxy_(faults_.port()) {
    faults_.aim_at(proxy_.port());
    proxy_.become(Network::dropped);
    tune_.emplace(faults_.start(faults_.steps_command(kSteps, 1), {"--reconnect-grace", "4"}));
    const std::string named =
        "not reachable behind tcp://127.0.0.1:" + std::to_string(proxy_.port());
    CHECK(eventually([&] { return tune_->output().find(named) != std::string::npos; }));
  }

  FaultPlace& faults() { return faults_; }
  Proxy& proxy() { return proxy_; }
  Running& tune() { return *tune_; }

 private:
  FaultPlace faults_;
  Proxy proxy_;
  std::optional<Running> tune_;
};

TEST_CASE("links: before the first answer a way that ends connections is waited for and named") {
  ClosedWay way;
  way.proxy().become(Network::whole);
  check_first_attempts(way.faults().place(), way.tune().wait(), 4);
}

TEST_CASE("links: before the first answer it is waited for until the grace time is over" *
          doctest::skip(!is_long())) {
  ClosedWay way;
  const Ended ended = way.tune().wait();
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("waited for 4 s, --reconnect-grace") != std::string::npos);
  CHECK(ended.output.find("server_key") == std::string::npos);
}

TEST_CASE("links: another key is said so within seconds" * doctest::skip(!is_long())) {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.place().write("target.json", R"({"host": "127.0.0.1", "port": )" +
                                          std::to_string(proxy.port()) + R"(, "server_key": ")" +
                                          std::string(64, 'a') + "\"}");
  Running tune = faults.start("true");
  const Ended ended = tune.wait(seconds(60));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("does not have the key that the target file pins") != std::string::npos);
}

TEST_CASE("links: a key that worked in the run that goes on is not blamed either" *
          doctest::skip(!is_long())) {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  const Gates gates(faults.place());
  Running killed = faults.start(gates.command(), {"--repeat", "1"});
  REQUIRE(gates.wait_for(1));
  killed.signal(SIGKILL);
  killed.wait();
  proxy.cut_after(100);  // as far as a wrong key would come
  proxy.become(Network::cut_short);
  Running tune = faults.resume(gates.command(), {"--repeat", "1"});
  let_pass(tune, milliseconds(4000));
  CHECK_FALSE(tune.has_ended());
  proxy.become(Network::whole);
  gates.open_all();
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.place().trials().at(0).at("attempt") == 1);
}

TEST_CASE("links: a name that nobody has is said at once") {
  FaultPlace faults;
  faults.place().write("target.json", R"({"host": "no-such-host.invalid", "server_key": ")" +
                                          std::string(64, 'a') + "\"}");
  // Where no name server answers, that is what is said.
  const Ended ended = faults.start("true", {"--reconnect-grace", "1"}).wait(seconds(60));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("\"no-such-host.invalid\"") != std::string::npos);
  CHECK(ended.output.find("no agent answered") == std::string::npos);
}

}  // namespace
}  // namespace mstune::test
