// How commands end, and what they leave: outputs that cannot be written, terminals with another
// character set, homes that are not there, OMs that were copied over.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

const std::string kRun = std::string(MSTUNE_SOURCES) + "/tests/data/cases/plain/run";

// In a shell that does with mstune's streams what the test wants.
Ended in_shell(Workplace& place, const std::string& arguments, const std::string& behind,
               const std::string& before = "") {
  return place.run(
      {"/bin/bash", "-c", before + " " + program("mstune") + " " + arguments + " " + behind});
}

TEST_CASE("ends: what cannot be written is an error, whatever the command") {
  Workplace place;
  for (const std::string& arguments :
       {std::string("--help"), std::string("--version"), std::string("man"),
        std::string("completion bash"), "analyze --json " + kRun,
        "compare --json " + kRun + " " + kRun, std::string("doctor --json"),
        std::string("pass status --json")}) {
    for (const char* broken : {">/dev/full", ">&-"}) {
      const Ended ended = in_shell(place, arguments, broken);
      INFO(arguments, " ", broken, ": ", ended.output);
      CHECK(ended.status == 2);
      CHECK(ended.output.find("standard output") != std::string::npos);
    }
  }
}

TEST_CASE("ends: a pipe gets the locale's character set, and a file UTF-8") {
  Workplace place;
  // "测量", in GBK and in UTF-8.
  const std::string gbk = "\xb2\xe2\xc1\xbf";
  const std::string utf8 = "测量";
  const std::string before = "LC_ALL=zh_CN.GBK";
  const Ended piped = in_shell(place, "--lang zh --help", "", before);
  CHECK(piped.status == 0);
  CHECK(piped.output.find(gbk) != std::string::npos);
  CHECK(piped.output.find(utf8) == std::string::npos);
  CHECK(in_shell(place, "--lang zh --help", ">help.txt", before).status == 0);
  CHECK(read_text(place.directory() / "help.txt").find(utf8) != std::string::npos);
  const Ended plain = in_shell(place, "--lang zh --help", "", "LC_ALL=C.UTF-8");
  CHECK(plain.output.find(utf8) != std::string::npos);
}

TEST_CASE("ends: errors are in the locale's character set, too") {
  Workplace place;
  const Ended ended = in_shell(place, "--lang zh nonsense", "", "LC_ALL=zh_CN.GB18030");
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("\xc3\xfc\xc1\xee") != std::string::npos);  // "命令"
}

// No secret lies where keygen was started.
void check_nothing_here(const Workplace& place) {
  for (const auto& entry : fs::recursive_directory_iterator(place.directory())) {
    CHECK(entry.path().extension() != ".key");
  }
}

TEST_CASE("ends: keygen never writes into the directory in which it was started") {
  Workplace place;
  SUBCASE("when the home is not there") {
    const Ended ended = in_shell(place, "keygen ann", "", "HOME=/nowhere/home");
    INFO(ended.output);
    CHECK(ended.status == 2);
    CHECK(ended.output.find("/nowhere/home") != std::string::npos);
    CHECK(ended.output.find("--file") != std::string::npos);
    check_nothing_here(place);
  }
  SUBCASE("when the user's directory is named by a relative path") {
    fs::create_directory(place.directory() / "home");
    const std::string home = (place.directory() / "home").string();
    const Ended ended = in_shell(place, "keygen ann", "", "XDG_CONFIG_HOME=here HOME=" + home);
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK(fs::exists(home + "/.config/mstune/id.key"));
    CHECK_FALSE(fs::exists(place.directory() / "here"));
  }
}

TEST_CASE(
    "ends: a target file of the sample is refused once with all that is wrong, and rewritten") {
  Workplace place;
  place.write("target.json",
              R"({"host": "127.0.0.1", "port": 22, "user": "u", "remote_workdir": "/tmp/x/y",
                  "run_command": "cd / && true"})");
  const std::string command = "tune --target target.json --output-dir out";
  const Ended first = in_shell(place, command, "");
  INFO(first.output);
  CHECK(first.status == 2);
  CHECK(first.output.find("port 22 is ssh's") != std::string::npos);
  CHECK(first.output.find("which only a shell understands") != std::string::npos);
  const fs::path rewritten = place.directory() / "target.mstune.json";
  CHECK(first.output.find("target.mstune.json") != std::string::npos);
  const auto target = nlohmann::json::parse(read_text(rewritten));
  CHECK(target.at("shell") == true);
  CHECK(target.at("server_key") == "");
  place.write("target.mstune.json", "mine");
  CHECK(in_shell(place, command, "").status == 2);
  CHECK(read_text(rewritten) == "mine");
}

TEST_CASE("ends: an OM that was copied over with its times counts as built") {
  FaultPlace faults;
  faults.write_offline_run();
  const std::string directory = faults.directory().string();
  faults.place().write("kept.om", "an OM");
  const std::vector<std::string> arguments{"--target",
                                           "target.json",
                                           "--mode",
                                           "offline",
                                           "--om-dir",
                                           directory + "/oms",
                                           "--configs",
                                           "default",
                                           "--repeat",
                                           "1",
                                           "--compile-command",
                                           "cp -p " + directory + "/kept.om {om}",
                                           "--run-command",
                                           "/bin/bash " + directory + "/run.sh {om}"};
  for (int run = 0; run < 2; ++run) {
    const Ended ended = faults.place().tune(arguments);
    INFO(ended.output);
    CHECK(ended.status == 0);
    fs::remove_all(faults.directory() / "out");
  }
}

}  // namespace
}  // namespace mstune::test
