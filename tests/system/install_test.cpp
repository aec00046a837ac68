#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <csignal>
#include <cstring>

#include <doctest/doctest.h>

#include "tests/system/agent.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

const std::string kOtherWriter =
    (fs::path(MSTUNE_BIN_DIR) / "../standin_test_passes/libother_writer.so");

bool says(const Ended& ended, const std::string& text) {
  return ended.output.find(text) != std::string::npos;
}

bool has_our_pass(const Workplace& place) {
  return fs::exists(vendors(place) / "zz_mstune/custom_fusion_passes/libmstune_pass.so");
}

void put_pass(const Workplace& place, const std::string& vendor, const std::string& file,
              const std::string& library = pass_of_build()) {
  const fs::path directory = vendors(place) / vendor / "custom_fusion_passes";
  fs::create_directories(directory);
  fs::copy_file(library, directory / file);
}

std::vector<std::string> short_online(std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"--run-command", program("sample_run") + " --steps 12", "--repeat",
                             "1", "--configs", "cv"});
  return more;
}

TEST_CASE("doctor: the toolkit with its pass is fit, and what is set wrong is found") {
  Workplace place;
  const Ended fit = place.run({program("mstune"), "doctor"});
  INFO(fit.output);
  CHECK(fit.status == 0);
  CHECK(says(fit, "no other writes after it"));
  CHECK(says(fit, "CANN 9.2.0, whose GE records steps"));
  place.environment()["GE_OPTIONS"] = "ge.enableSingleStream=true";
  const Ended spoilt = place.run({program("mstune"), "doctor", "--mode", "offline"});
  CHECK(spoilt.status == 1);
  CHECK(says(spoilt, "GE_OPTIONS turns on single-stream mode"));
  CHECK(says(spoilt, "atc is " + (place.toolkit() / "bin/atc").string()));
}

TEST_CASE("doctor: a GE without a recorder is told, and stops nothing") {
  Workplace place;
  fs::create_directory(place.directory() / "old");
  place.write("old/libge_executor.so", "an older one, which records nothing");
  std::string& search = place.environment()["LD_LIBRARY_PATH"];
  search = (place.directory() / "old").string() + ":" + search;
  const Ended ended = place.run({program("mstune"), "doctor"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(says(ended, "CANN 9.2.0 cannot record"));
}

TEST_CASE("doctor: without set_env.sh it says so, as JSON too") {
  Workplace place;
  place.environment().erase("ASCEND_HOME_PATH");
  const Ended ended = place.run({program("mstune"), "doctor", "--json"});
  CHECK(ended.status == 1);
  const auto document = nlohmann::json::parse(ended.output);
  CHECK(document.at("failures") == 1);
  CHECK(document.at("machines").at(0).at("findings").at(0).at("check") == "cann.environment");
}

TEST_CASE("doctor: the sample's library left behind is named, and goes when that is asked") {
  Workplace place;
  place.use_own_toolkit(true);
  put_pass(place, "ge_ms_autotune", "libge_ms_autotune_pass.so");
  const Ended before = place.run({program("mstune"), "doctor"});
  CHECK(says(before, "the sample's pass was left behind"));
  CHECK(says(before, "mstune pass remove --sample"));
  CHECK(place.run({program("mstune"), "pass", "remove", "--sample"}).status == 0);
  CHECK_FALSE(fs::exists(vendors(place) / "ge_ms_autotune"));
  CHECK(has_our_pass(place));
}

TEST_CASE("doctor: what it calls unloadable does fail a run, and the run's hint leads back to it") {
  Workplace place;
  place.use_own_toolkit(true);
  fs::create_directories(vendors(place) / "a/custom_fusion_passes");
  place.write("cann/opp/vendors/a/custom_fusion_passes/libbroken.so", "not a library");
  const Ended doctor = place.run({program("mstune"), "doctor"});
  CHECK(doctor.status == 1);
  CHECK(says(doctor, "libbroken.so is no shared library"));
  const Ended tune = place.tune(short_online());
  INFO(tune.output);
  CHECK(tune.status == 1);
  CHECK(says(tune, "Hint: E13029: "));
}

TEST_CASE("pass: install makes a run possible, remove takes all of it away") {
  Workplace place;
  place.use_own_toolkit(false);
  CHECK(place.run({program("mstune"), "pass", "status"}).status == 1);
  const Ended without = place.tune(short_online());
  CHECK(without.status == 1);
  CHECK(says(without, "Hint: no STEP record. Is the pass in place"));
  fs::remove_all(place.directory() / "out");

  const Ended install =
      place.run({program("mstune"), "pass", "install", "--library", pass_of_build()});
  INFO(install.output);
  CHECK(install.status == 0);
  CHECK(place.run({program("mstune"), "pass", "status"}).status == 0);
  CHECK(place.tune(short_online()).status == 0);
  CHECK(place.run({program("mstune"), "pass", "remove"}).status == 0);
  CHECK(fs::is_empty(vendors(place)));
}

TEST_CASE("pass: a linked custom_fusion_passes is no place, for status, install and a run") {
  Workplace place;
  place.use_own_toolkit(false);
  const fs::path elsewhere = place.directory() / "elsewhere";
  fs::create_directories(elsewhere);
  fs::copy_file(pass_of_build(), elsewhere / "libmstune_pass.so");
  fs::create_directories(vendors(place) / "zz_mstune");
  fs::create_directory_symlink(elsewhere, vendors(place) / "zz_mstune/custom_fusion_passes");
  const Ended status = place.run({program("mstune"), "pass", "status"});
  INFO(status.output);
  CHECK(status.status == 1);
  CHECK(says(status, "GE passes over such a link"));
  const Ended install =
      place.run({program("mstune"), "pass", "install", "--library", pass_of_build()});
  CHECK(install.status != 0);
  CHECK(says(install, "is a symbolic link, which GE passes over"));
  const Ended tune = place.tune(short_online());
  CHECK(tune.status == 1);
  CHECK(says(tune, "Hint: no STEP record. Is the pass in place"));
}

TEST_CASE("pass: install warns of others that write the same attributes") {
  Workplace place;
  place.use_own_toolkit(false);
  put_pass(place, "zzz_other", "libother_pass.so", kOtherWriter);
  const Ended install =
      place.run({program("mstune"), "pass", "install", "--library", pass_of_build()});
  INFO(install.output);
  CHECK(has_our_pass(place));
  CHECK(says(install, "libother_pass.so writes the same attributes after our pass"));
  CHECK(says(install, "away while you tune"));
}

TEST_CASE("pass: a file that is no pass is refused before anything is changed") {
  Workplace place;
  place.use_own_toolkit(false);
  const Ended ended = place.run({program("mstune"), "pass", "install", "--library", "/bin/sh"});
  CHECK(ended.status == 2);
  CHECK(says(ended, "is not the tuning pass"));
  CHECK(fs::is_empty(vendors(place)));
}

TEST_CASE("pass: --manage-pass has it there for the run and not after it") {
  Workplace place;
  place.use_own_toolkit(false);
  const Ended ended = place.tune(short_online({"--manage-pass"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(fs::is_empty(vendors(place)));
}

TEST_CASE("pass: --target looks after the pass on the agent's machine, which doctor sees there") {
  Workplace place;
  place.use_own_toolkit(false);
  Agent agent(place);
  write_target(place, agent.port(), "");
  // This machine has another toolkit, with a pass: what is asked for is about the agent's.
  place.environment()["ASCEND_OPP_PATH"] = (fs::path(MSTUNE_TOOLKIT) / "opp").string();
  const auto ask = [&](std::vector<std::string> command) {
    command.insert(command.begin(), program("mstune"));
    command.insert(command.end(), {"--target", "target.json"});
    Ended ended = place.run(command);
    INFO(ended.output);
    CHECK(ended.output.find("mstune: ") == std::string::npos);
    return ended;
  };
  CHECK(ask({"pass", "status"}).status == 1);
  const Ended unfit = ask({"doctor", "--json"});
  CHECK(unfit.status == 1);
  const auto machines = nlohmann::json::parse(unfit.output).at("machines");
  REQUIRE(machines.size() >= 2);
  CHECK(machines.at(1).dump().find("pass.missing") != std::string::npos);
  CHECK(machines.at(1).dump().find("CANN 9.2.0, whose GE records steps") != std::string::npos);
  CHECK(machines.at(0).dump().find("disk.output") != std::string::npos);
  CHECK(machines.at(1).dump().find("variables.minidag") == std::string::npos);
  write_target(place, agent.port(), R"(, "env": {"MINIDAG_PROFILING_PATH": "/p"})");
  CHECK(says(ask({"doctor"}), "MINIDAG_PROFILING_PATH=/p"));
  write_target(place, agent.port(), "");
  CHECK(ask({"pass", "install", "--library", pass_of_build()}).status == 0);
  CHECK(has_our_pass(place));
  CHECK(ask({"pass", "status"}).status == 0);
  put_pass(place, "ge_ms_autotune", "libge_ms_autotune_pass.so");
  CHECK(says(ask({"doctor"}), "mstune pass remove --sample --target FILE"));
  CHECK(says(ask({"pass", "remove", "--sample"}), "removed "));
  CHECK_FALSE(fs::exists(vendors(place) / "ge_ms_autotune"));
  CHECK(says(ask({"pass", "remove", "--sample"}), "the sample's pass is not there"));
  CHECK(says(ask({"doctor"}), (vendors(place) / "zz_mstune").string()));
  CHECK(place.tune(short_online({"--target", "target.json"})).status == 0);
  CHECK(ask({"pass", "remove"}).status == 0);
  CHECK_FALSE(has_our_pass(place));
}

TEST_CASE("pass: --manage-pass with a target holds it on the agent's machine for the run") {
  Workplace place;
  place.use_own_toolkit(false);
  Agent agent(place);
  write_target(place, agent.port(), "");
  const Ended ended = place.tune(short_online(
      {"--manage-pass", "--pass-library", pass_of_build(), "--target", "target.json"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK_FALSE(has_our_pass(place));
}

TEST_CASE("pass: --manage-pass removes it after Ctrl-C as well") {
  Workplace place;
  place.use_own_toolkit(false);
  place.write("wait.sh", "exec sleep 65431\n");
  Running tune =
      place.start_tune({"--run-command", "/bin/bash wait.sh", "--configs", "cv", "--manage-pass"});
  CHECK(eventually([] { return !processes_with("65431").empty(); }));
  CHECK(has_our_pass(place));
  tune.signal(SIGINT);
  CHECK(tune.wait().status == 130);
  CHECK(fs::is_empty(vendors(place)));
}

TEST_CASE("pass: what a killed run left behind is found by the next start, and removed by it") {
  Workplace place;
  place.use_own_toolkit(false);
  place.write("wait.sh", "exec sleep 65432\n");
  Running tune =
      place.start_tune({"--run-command", "/bin/bash wait.sh", "--configs", "cv", "--manage-pass"});
  CHECK(eventually([] { return !processes_with("65432").empty(); }));
  tune.signal(SIGKILL);
  CHECK(tune.wait().status == -SIGKILL);
  CHECK(has_our_pass(place));
  CHECK(says(place.run({program("mstune"), "doctor"}), "was ended before it could remove it"));
  SUBCASE("a run that does not manage it tells") {
    CHECK(says(place.tune(short_online()), "remove it with \"mstune pass remove\""));
    CHECK(has_our_pass(place));
  }
  SUBCASE("a run that manages it takes over") {
    CHECK(says(place.tune(short_online({"--manage-pass"})), "this run removes it in the end"));
    CHECK(fs::is_empty(vendors(place)));
  }
}

TEST_CASE("hints: single-stream mode in the build is explained by its code") {
  Workplace place;
  place.write("build.sh", "exec atc --model=" + model("wide") +
                              " --soc_version=Ascend910B2 --enable_single_stream=true "
                              "--output=\"$1\"\n");
  const Ended ended = place.tune(
      {"--mode", "offline", "--compile-command", "/bin/bash build.sh {om_prefix}", "--run-command",
       program("sample_infer") + " --om {om}", "--configs", "cv", "--om-dir", "oms"});
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(says(ended, "Hint: E10056: single-stream mode is on"));
  const Ended again = place.run({program("mstune"), "analyze", place.run_directory().string()});
  INFO(again.output);
  CHECK(says(again, "Hint: E10056: single-stream mode is on"));
}

TEST_CASE("hints: single-stream mode in a program that compiles its own graph as well") {
  Workplace place;
  place.write("run.sh",
              "echo 'E10056: Cannot configure both ge.enableSingleStream and "
              "ge.autoMultistreamParallelMode' >&2\nexit 1\n");
  const Ended ended =
      place.tune({"--run-command", "/bin/bash run.sh", "--configs", "cv", "--repeat", "1"});
  INFO(ended.output);
  CHECK(ended.status == 1);
  CHECK(says(ended, "Hint: E10056: single-stream mode is on"));
}

TEST_CASE("hints: a build of another campaign in --om-dir explains nothing") {
  Workplace place;
  fs::create_directory(place.directory() / "oms");
  place.write("oms/compile_MainStream2.log", "E10056: another model, another day\n");
  const Ended ended = place.tune(
      {"--mode", "offline", "--compile-command",
       "atc --model=" + model("wide") + " --soc_version=Ascend910B2 --output={om_prefix}",
       "--run-command", program("sample_infer") + " --om {om} --loop 8", "--configs", "cv",
       "--repeat", "1", "--om-dir", "oms"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK_FALSE(says(ended, "E10056"));
}

// A service manager that waits for datagrams at a path.
class MadeUpManager {
 public:
  explicit MadeUpManager(const fs::path& path)
      : descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(descriptor_.value(), reinterpret_cast<const sockaddr*>(&address),
                   sizeof address) == 0);
  }

  // True once a datagram that begins with this has come.
  bool was_told(const std::string& state) {
    std::array<char, 512> buffer{};
    const auto length = ::recv(descriptor_.value(), buffer.data(), buffer.size(), 0);
    return length > 0 &&
           std::string(buffer.data(), static_cast<std::size_t>(length)).starts_with(state);
  }

 private:
  os::UniqueFd descriptor_;
};

TEST_CASE("service: the agent tells a service manager when it is ready and when it stops") {
  Workplace place;
  MadeUpManager manager(place.directory() / "notify");
  place.environment()["NOTIFY_SOCKET"] = (place.directory() / "notify").string();
  fs::create_directory(place.directory() / "socket");
  fs::permissions(place.directory() / "socket", fs::perms::owner_all);
  Running agent = place.start({program("mstune-agent"), "--listen",
                               "ipc://" + (place.directory() / "socket/agent.sock").string(),
                               "--work-dir", (place.directory() / "agent").string()});
  CHECK(eventually([&] { return manager.was_told("READY=1\nSTATUS=listening at ipc://"); }));
  agent.signal(SIGTERM);
  CHECK(agent.wait().status == 0);
  CHECK(manager.was_told("STOPPING=1"));
}

}  // namespace
}  // namespace mstune::test
