// Uploads that take too long or meet a full disk.
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <csignal>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/proxy.h"
#include "tests/system/small_disk.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kOmBytes = 3'000'000;

// Two OMs that do not compress and have nothing in common, each built once; a run needs no toolkit.
std::vector<std::string> two_oms(FaultPlace& faults, std::vector<std::string> more = {}) {
  const std::string directory = faults.directory().string();
  faults.place().write("build.sh", "kept=" + directory +
                                       "/kept-${1##*/}\n"
                                       "[ -e $kept ] || head -c " +
                                       std::to_string(kOmBytes) +
                                       " /dev/urandom > $kept\ncp $kept \"$1\"\n");
  faults.write_offline_run();
  more.insert(more.begin(), {"--target", "target.json", "--mode", "offline", "--configs",
                             "LoadBalance:4", "--repeat", "1", "--order", "fixed",
                             "--compile-command", "/bin/bash " + directory + "/build.sh {om}",
                             "--run-command", "/bin/bash " + directory + "/run.sh {om}"});
  return more;
}

json store_of_agent(FaultPlace& faults) {
  const Ended ended =
      faults.place().run({program("mstune"), "agents", "--target", "target.json", "--json"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  return json::parse(ended.output).at("agents").at(0).at("store");
}

void check_result(FaultPlace& faults, const Ended& ended) {
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json trials = faults.place().trials();
  CHECK(trials.size() == 2);
  for (const json& trial : trials) {
    CHECK(trial.at("valid") == true);
  }
  CHECK(eventually([&] { return faults.is_tidy(); }));
}

// Files in the agent's store that are not whole yet.
std::vector<fs::path> partial_files(const FaultPlace& faults) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(faults.directory() / "agent/store/partial")) {
    if (entry.path().extension() != ".chunks") {
      found.push_back(entry.path());
    }
  }
  return found;
}

std::uint64_t bytes_on_disk(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512
                                            : 0;
}

// Waits until more than so much of the first file is on its disk.
bool arrives(const FaultPlace& faults, std::uint64_t bytes) {
  return eventually([&] {
    const auto partial = partial_files(faults);
    return !partial.empty() && bytes_on_disk(partial.front()) > bytes;
  });
}

// A campaign whose uploads take seconds.
Running start_slowly(FaultPlace& faults, Proxy& proxy) {
  proxy.limit_rate(2'000'000);
  faults.aim_at(proxy.port());
  return faults.place().start_tune(two_oms(faults));
}

// What a process has read of files and sockets since it began.
std::uint64_t bytes_read(pid_t process) {
  const std::string io = read_text("/proc/" + std::to_string(process) + "/io");
  return std::stoull(io.substr(io.find("rchar: ") + 7));
}

TEST_CASE("uploads: one goes on while the next file is digested, however long that takes") {
  constexpr std::uint64_t kNextBytes = std::uint64_t{8} << 30U;  // sparse
  FaultPlace faults;
  Proxy proxy(faults.port());
  proxy.limit_rate(6'000'000);
  faults.aim_at(proxy.port());
  std::vector<std::string> arguments = two_oms(faults);
  faults.place().write("build.sh",
                       "case $1 in *LoadBalance4*) exec truncate -s " + std::to_string(kNextBytes) +
                           " \"$1\" ;; esac\nexec head -c 12000000 /dev/urandom > \"$1\"\n");
  Running tune = faults.place().start_tune(arguments);
  CHECK(eventually([&] { return !partial_files(faults).empty(); }));
  CHECK(eventually([&] { return partial_files(faults).empty(); }));
  CHECK(bytes_read(tune.id()) < kNextBytes);
  CHECK_FALSE(fs::is_empty(faults.directory() / "agent/store/blobs"));
  tune.signal(SIGKILL);
  tune.wait();
}

// An upload that needs 15 s has 1.5 s; `stops`: and nothing moves any more once it has begun.
Ended run_into(const char* timeout, bool stops, FaultPlace& faults, Proxy& proxy) {
  proxy.limit_rate(200'000);
  faults.aim_at(proxy.port());
  Running tune = faults.place().start_tune(two_oms(faults, {timeout, "1.5"}));
  if (stops) {
    CHECK(arrives(faults, 0));
    proxy.become(Network::silent);
  }
  return tune.wait(std::chrono::seconds(30));
}

TEST_CASE("uploads: one that takes too long is ended, and says after how long and what to do") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  Ended ended;
  SUBCASE("on a slow network, with the time of a run where it has none of its own") {
    ended = run_into("--timeout", false, faults, proxy);
  }
  SUBCASE("when nothing moves any more") {
    ended = run_into("--upload-timeout", true, faults, proxy);
  }
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("the upload took more than 1.5 s: raise --upload-timeout") !=
        std::string::npos);
  proxy.become(Network::whole);
  proxy.limit_rate(0);
  fs::remove_all(faults.directory() / "out");
  // Other files: the agent keeps the same ones for their sender until it knows that it left.
  CHECK(fs::remove(faults.directory() / "kept-model_default.om"));
  CHECK(fs::remove(faults.directory() / "kept-model_LoadBalance4.om"));
  check_result(faults, faults.place().tune(two_oms(faults)));
}

TEST_CASE(
    "uploads: a disk that is full in the middle is told, and the store goes on when it is not") {
  FaultPlace faults;
  faults.stop_agent();
  const SmallDisk disk(faults.directory() / "agent/store", "size=300m");
  faults.start_agent();
  if (!disk.is_there()) {
    MESSAGE("left out: this user may not mount a tmpfs");
    return;
  }
  Proxy proxy(faults.port());
  Running tune = start_slowly(faults, proxy);
  CHECK(arrives(faults, kOmBytes / 10));
  struct statvfs usage {};
  REQUIRE(::statvfs((faults.directory() / "agent/store").c_str(), &usage) == 0);
  const std::uint64_t used = (usage.f_blocks - usage.f_bfree) * usage.f_frsize;
  CHECK(disk.resize(("size=" + std::to_string(used + kOmBytes / 10)).c_str()));
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("the disk of the agent's store is full (No space left on device): free "
                          "some space, or run mstune agents --purge") != std::string::npos);
  CHECK_FALSE(faults.agent().has_ended());
  CHECK(store_of_agent(faults).at("files") == 0);
  CHECK(faults.is_tidy());
  SUBCASE("what has arrived is used") {
    CHECK_FALSE(partial_files(faults).empty());
  }
  SUBCASE("unless it was purged") {
    CHECK(faults.place()
              .run({program("mstune"), "agents", "--target", "target.json", "--purge"})
              .status == 0);
    CHECK(partial_files(faults).empty());
  }
  CHECK(disk.resize("size=300m"));
  proxy.limit_rate(0);
  fs::remove_all(faults.directory() / "out");
  check_result(faults, faults.place().tune(two_oms(faults)));
  CHECK(store_of_agent(faults).at("files") == 2);
  CHECK(store_of_agent(faults).at("bytes") == 2 * kOmBytes);
  CHECK(partial_files(faults).empty());
  faults.stop_agent();  // before its disk goes
}

TEST_CASE(
    "uploads: waiting for a device ends with the time of a run, where it has none of its own") {
  FaultPlace faults({"--devices", "0"});
  Running first = faults.start("sleep 71030");
  CHECK(
      eventually([] { return !processes_with("sleep" + std::string(1, '\0') + "71030").empty(); }));
  const Ended second = faults.place().run(
      {program("mstune"), "tune", "--output-dir", (faults.directory() / "second").string(),
       "--run-command", "true", "--target", "target.json", "--repeat", "1", "--configs", "default",
       "--timeout", "0.5"});
  INFO(second.output);
  CHECK(second.output.find("no device was free for 500 ms (--wait-timeout)") != std::string::npos);
  first.signal(SIGINT);
  CHECK(first.wait().status == 130);
}

TEST_CASE("uploads: an agent that stands still for a while goes on where it stood" *
          doctest::skip(!is_long())) {
  FaultPlace faults;
  Proxy proxy(faults.port());
  Running tune = start_slowly(faults, proxy);
  CHECK(arrives(faults, kOmBytes / 3));
  faults.agent().signal(SIGSTOP);
  CHECK(eventually([&] { return tune.output().find("does not answer") != std::string::npos; }));
  // Long enough for a dozen greetings, which it will all answer at once.
  const auto greeted = std::chrono::steady_clock::now() + std::chrono::seconds(6);
  eventually([&] { return std::chrono::steady_clock::now() > greeted; });
  faults.agent().signal(SIGCONT);
  check_result(faults, tune.wait());
}

TEST_CASE("uploads: one that a lost connection broke off waits for trials that began meanwhile") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  Running tune = start_slowly(faults, proxy);
  CHECK(eventually([&] { return !partial_files(faults).empty(); }));
  proxy.become(Network::silent);
  CHECK(eventually([&] { return tune.output().find("does not answer") != std::string::npos; }));
  const std::string directory = faults.directory().string();
  faults.place().write("measure.sh", "touch " + directory + "/begun\nuntil [ -e " + directory +
                                         "/go ]; do sleep 0.02; done\n");
  Running measuring = faults.place().start(
      {program("mstune"), "tune", "--output-dir", directory + "/other", "--repeat", "1",
       "--configs", "default", "--run-command", "/bin/bash " + directory + "/measure.sh"});
  CHECK(eventually([&] { return fs::exists(directory + "/begun"); }));
  proxy.limit_rate(0);
  proxy.become(Network::whole);
  CHECK(eventually([&] {
    return tune.output().find("builds and uploads wait: a trial is running") != std::string::npos;
  }));
  CHECK(tune.output().find("[upload]") == std::string::npos);
  faults.place().write("go", "");
  check_result(faults, tune.wait());
  measuring.wait();
}

TEST_CASE("uploads: those from another machine come slowly while somebody else's trials run") {
  constexpr std::uint64_t kBytes = 40'000'000;
  FaultPlace faults;
  Running measuring = faults.start(faults.steps_command(400, 5), {"--repeat", "200"});
  CHECK(eventually([&] { return measuring.output().find("[001]") != std::string::npos; }));
  const std::string directory = faults.directory().string();
  faults.place().write("build.sh", "head -c " + std::to_string(kBytes) + " /dev/urandom > $1\n");
  Variables elsewhere = faults.place().environment();
  elsewhere[kTurnDirectory] = directory + "/elsewhere";
  Running sending(
      {program("mstune"), "tune", "--mode", "offline", "--target", "target.json", "--configs",
       "default", "--repeat", "1", "--output-dir", directory + "/other", "--compile-command",
       "/bin/bash " + directory + "/build.sh {om}", "--run-command", "true {om}"},
      faults.directory(), elsewhere);
  CHECK(eventually([&] { return !partial_files(faults).empty(); }));
  const auto began = std::chrono::steady_clock::now();
  CHECK(eventually([&] { return sending.output().find("[upload]") != std::string::npos; }));
  // Less its window of 4 MiB; unhindered it is a tenth of that.
  CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(900));
  CHECK_FALSE(measuring.has_ended());
  measuring.signal(SIGINT);
  CHECK(measuring.wait().status == 130);
  const Ended ended = sending.wait();
  INFO(ended.output);
  CHECK(ended.output.find("[000] default round 1: exit status 0") != std::string::npos);
}

}  // namespace
}  // namespace mstune::test
