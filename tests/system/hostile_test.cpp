// Attacks from both sides, each bounded in time: strangers without a key and clients with one at
// the real agent, and agents that mean no good at the real coordinator (tests/hostile/).
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"
#include "tests/system/guarded_agent.h"
#include "tests/system/keys.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

#ifdef MSTUNE_SANITIZED
constexpr bool kSanitized = true;  // its library has to be the first that is loaded
#else
constexpr bool kSanitized = false;
#endif

std::string hostile(const std::string& name) {
  return (fs::path(MSTUNE_SOURCES) / "tests/hostile" / name).string();
}

Running strangers(Workplace& place, GuardedAgent& agent, int count, const std::string& kind) {
  return place.start({"/usr/bin/python3", hostile("strangers.py"), "127.0.0.1", agent.port(),
                      std::to_string(agent.running().id()), std::to_string(count), kind});
}

bool is_ready(Running& program) {
  return eventually([&] { return program.output().find("ready") != std::string::npos; });
}

TEST_CASE("hostile: strangers who connect and stay end nothing, and clients still come in") {
  Workplace place;
  // The limit that many systems have, hard: it cannot be raised.
  GuardedAgent agent(place, {}, "ulimit -n 256");
  Running crowd = strangers(place, agent, 400, "idle");
  REQUIRE(is_ready(crowd));
  // The list changes while nothing can be opened: what it said last stays.
  fs::last_write_time(place.directory() / "authorized", fs::file_time_type::clock::now());
  const Ended ended = client(place, agent, "run").wait();
  INFO(ended.output);
  INFO(agent.running().output());
  CHECK(ended.status == 0);
  CHECK_FALSE(agent.running().has_ended());
  CHECK(agent.running().output().find(": 0 keys are authorized") == std::string::npos);
  crowd.signal(SIGKILL);
}

// How many bytes they cost, as far as the machine let the agent read what they sent.
std::uint64_t cost_of_strangers(Workplace& place, int count) {
  GuardedAgent agent(place);
  Running crowd = strangers(place, agent, count, "frames");
  REQUIRE(is_ready(crowd));
  CHECK(client(place, agent, "run").wait().status == 0);
  crowd.signal(SIGKILL);
  const auto at = crowd.output().find("grew ");
  REQUIRE(at != std::string::npos);
  return std::stoull(crowd.output().substr(at + 5));
}

TEST_CASE("hostile: two hundred strangers in the middle of their handshake cost 64 MiB at most") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  constexpr int kTries = 3;  // where the agent got no time to read, the figure says little
  std::uint64_t grew = 0;
  for (int i = 0; i < kTries && grew < 32 * kMiB; ++i) {
    Workplace place;
    grew = cost_of_strangers(place, 200);
    MESSAGE("200 strangers cost ", grew / 1024, " KiB");
    CHECK(grew < 64 * kMiB);
  }
  CHECK(grew > 32 * kMiB);
}

void withstands(const std::string& kind) {
  Workplace place;
  GuardedAgent agent(place);
  const Ended ended = place
                          .start({"/usr/bin/python3", hostile("client.py"), agent.endpoint(),
                                  (place.directory() / "agent.pub").string(),
                                  (place.directory() / ".config/mstune/id.key").string(), kind})
                          .wait();
  INFO(ended.output);
  INFO(agent.running().output());
  CHECK(ended.status == 0);
  CHECK_FALSE(agent.running().has_ended());
}

TEST_CASE("hostile: a command that would grow without end costs nobody else a second") {
  withstands("placeholders");
}

TEST_CASE("hostile: a set_env.sh that is a device is refused before it is read") {
  withstands("device_file");
}

TEST_CASE("hostile: thousands of questions cost nobody else a second") {
  withstands("questions");
}

// An agent of which one in `every` calls fails (of `call` only, where one is named) while two
// clients try to work with it; after that one must get all it wants. Returns how many calls failed.
std::uintmax_t survives_refusals(const std::string& every, const std::string& call) {
  Workplace place;
  const fs::path armed = place.directory() / "armed";
  place.environment()["MSTUNE_REFUSE"] = every;
  place.environment()["MSTUNE_REFUSE_WHILE"] = armed.string();
  if (!call.empty()) {
    place.environment()["MSTUNE_REFUSE_CALL"] = call;
  }
  GuardedAgent agent(place, {"--reconnect-grace", "1"},
                     std::string("export LD_PRELOAD=") + MSTUNE_REFUSALS);
  CAPTURE(every);
  CAPTURE(call);
  place.write("armed", "");
  for (int i = 0; i < 2; ++i) {
    Running tried = client(place, agent, "run");
    static_cast<void>(eventually([&] { return tried.has_ended(); }, std::chrono::seconds(2)));
    tried.signal(SIGKILL);
    tried.wait();
  }
  CHECK_FALSE(agent.running().has_ended());
  const std::uintmax_t refused = fs::file_size(armed);
  fs::remove(armed);
  const Ended ended = client(place, agent, "run").wait();
  INFO(ended.output);
  INFO(agent.running().output());
  CHECK(ended.status == 0);
  return refused;
}

TEST_CASE("hostile: calls that are refused now and then end no agent" * doctest::skip(kSanitized)) {
  std::vector<std::string> rates{"3"};
  if (is_long()) {
    rates.insert(rates.end(), {"1", "2", "5", "7", "13", "29"});
  }
  for (const std::string& every : rates) {
    CHECK(survives_refusals(every, {}) > 0);
  }
}

TEST_CASE("hostile: no single call that is refused ends an agent" *
          doctest::skip(kSanitized || !is_long())) {
  for (const std::string& call : std::vector<std::string>{
           "open",     "openat",   "opendir", "fdopendir", "pipe2",         "socketpair",
           "accept4",  "signalfd", "fork",    "poll",      "inotify_init1", "inotify_add_watch",
           "stat",     "lstat",    "fstat",   "mkdir",     "renameat",      "linkat",
           "unlinkat", "ftruncate"}) {
    for (const std::string& every : {std::string("1"), std::string("2")}) {
      const std::uintmax_t refused = survives_refusals(every, call);
      MESSAGE(call, ": ", refused, " refused, one in ", every);
      CHECK((refused > 0 || every == "2"));
    }
  }
}

Ended tune_with(Workplace& place, const std::string& kind, std::vector<std::string> more = {}) {
  Running agent = place.start({"/usr/bin/python3", hostile("agent.py"), kind});
  CHECK(eventually([&] { return !port_in(agent.output()).empty(); }));
  place.write("target.json", R"({"host": "127.0.0.1", "port": )" + port_in(agent.output()) +
                                 R"(, "insecure": true})");
  more.insert(more.end(), {"--target", "target.json", "--run-command", "true", "--configs",
                           "default", "--repeat", "1", "--retries", "0", "--output-limit", "1MB"});
  Ended ended = place.tune(std::move(more));
  agent.signal(SIGKILL);
  return ended;
}

TEST_CASE("hostile: an agent that says it has 60,000 devices is refused at once") {
  Workplace place;
  const Ended ended = tune_with(place, "devices");
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("60000 devices") != std::string::npos);
}

void is_given_up(const std::vector<std::string>& limits, const std::string& named) {
  Workplace place;
  const Ended ended = tune_with(place, "deaf", limits);
  INFO(ended.output);
  CHECK(ended.status != 0);
  CHECK(ended.output.find("told nothing of this trial's end") != std::string::npos);
  CHECK(ended.output.find(named) != std::string::npos);
}

TEST_CASE("hostile: a trial whose end is never told is given up after --stall-timeout") {
  is_given_up({"--timeout", "0", "--stall-timeout", "1"}, "--stall-timeout");
}

TEST_CASE("hostile: a trial whose end is never told is given up after --timeout" *
          doctest::skip(!is_long())) {
  is_given_up({"--timeout", "1", "--reconnect-grace", "1"}, "--timeout and the time to end it");
}

TEST_CASE("hostile: nothing that an agent or a program says moves a person's cursor") {
  Workplace place;
  const Ended ended = tune_with(place, "terminal");
  INFO(ended.output);
  for (const char* control : {"\x1b", "\x07", "\r", "\xe2\x80\xae", "\x9b"}) {
    CAPTURE(control);
    CHECK(ended.output.find(control) == std::string::npos);
  }
  CHECK(ended.output.find("evil") != std::string::npos);  // it is shown, and harmless
}

TEST_CASE("hostile: an output that never ends fills no disk, and sizes that cannot be are told") {
  Workplace place;
  const Ended ended = tune_with(place, "endless");
  INFO(ended.output);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place.directory() / "out")) {
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  }
  CHECK(bytes < (std::uintmax_t{4} << 20U));
  CHECK(ended.output.find("has more than a TiB") != std::string::npos);
}

}  // namespace
}  // namespace mstune::test
