#include <sys/stat.h>

#include <csignal>
#include <set>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

const std::vector<std::string> kOnline{"--run-command", program("sample_run") + " --steps 12"};

std::vector<std::string> online(std::vector<std::string> more) {
  more.insert(more.begin(), kOnline.begin(), kOnline.end());
  return more;
}

std::set<std::string> names_in(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST_CASE("online: one command measures, ranks and recommends") {
  Workplace place;
  const Ended ended = place.tune(online({"--repeat", "2", "--streams", "2,4"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto summary = place.summary();
  CHECK(summary.at("mode") == "online");
  CHECK(summary.at("compile_command").is_null());
  CHECK(summary.at("target_host").is_null());
  CHECK(summary.at("repeat") == 2);
  CHECK(summary.at("trials").size() == 10);
  for (const auto& trial : summary.at("trials")) {
    CHECK(trial.at("valid") == true);
    CHECK(trial.at("exit_code") == 0);
    CHECK(trial.at("step_count") == 13);  // 12 and one to warm up
    CHECK(trial.at("reasons").empty());
  }
  REQUIRE(summary.at("summaries").size() == 5);
  CHECK(summary.at("configs").at(0) == summary.at("summaries").at(0).at("config"));
  CHECK(summary.at("recommended") != "default");  // four branches that can run side by side
  CHECK(ended.output.find("Recommended: ") != std::string::npos);
  CHECK(ended.output.find("ge.autoMultistreamParallelMode") != std::string::npos);
  // Nothing of it is left.
  CHECK(processes_with(place.directory().string()).empty());
  CHECK_FALSE(place.has_temporary_files());
}

TEST_CASE(
    "online: the run directory holds what the sample's users know, and no more than is said") {
  Workplace place;
  CHECK(place.tune(online({"--repeat", "1", "--configs", "LoadBalance:4", "--order", "fixed"}))
            .status == 0);
  const fs::path run = place.run_directory();
  CHECK(run.filename().string().starts_with("run_"));
  CHECK(names_in(run) == std::set<std::string>{"campaign.json", "report.html", "summary.csv",
                                               "summary.json", "trial_000_default_r1",
                                               "trial_001_LoadBalance4_r1"});
  CHECK(names_in(run / "trial_001_LoadBalance4_r1") ==
        std::set<std::string>{"plog", "stdout.log", "steps.csv", "steps.log", "trial.json"});
  const std::string csv = read_text(run / "summary.csv");
  CHECK(
      csv.starts_with("config,trials,valid_trials,steps,mean_us,median_us,p90_us,cv,speedup,"
                      "verdict,reasons"));
  const std::string steps = read_text(run / "trial_000_default_r1" / "steps.csv");
  CHECK(steps.starts_with("execution,api,mode,step,start_us,end_us,cost_us,sync_us,ret,sync_ret"));
}

TEST_CASE("online: the deterministic stand-in gives the same figures again, to the digit") {
  const auto medians = [] {
    Workplace place;
    CHECK(place.tune(online({"--repeat", "1"})).status == 0);
    std::map<std::string, double> result;
    const auto document = place.summary();
    for (const auto& summary : document.at("summaries")) {
      result[summary.at("config")] = summary.at("median_us");
    }
    return result;
  };
  CHECK(medians() == medians());
}

TEST_CASE("online: the seed of a random order is recorded and repeats it") {
  const auto order_of = [](const std::vector<std::string>& more) {
    Workplace place;
    std::vector<std::string> arguments{"--repeat", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(place.tune(online(arguments)).status == 0);
    const auto summary = place.summary();
    std::vector<std::string> order{summary.at("order"), summary.at("seed").dump()};
    for (const auto& trial : summary.at("trials")) {
      order.push_back(trial.at("config"));
    }
    return order;
  };
  const auto first = order_of({});
  CHECK(first.at(0) == "random");
  CHECK(order_of({"--seed", first.at(1)}) == first);
  CHECK(order_of({"--order", "fixed", "--streams", "2"}) ==
        std::vector<std::string>{"fixed", "null", "default", "LoadBalance:2", "MainStream:2",
                                 "default", "LoadBalance:2", "MainStream:2"});
}

TEST_CASE("online: without the pass there is no record at all, and the exit status says so") {
  Workplace place;
  place.use_own_toolkit(false);
  const Ended ended = place.tune(online({"--repeat", "1", "--configs", "cv"}));
  INFO(ended.output);
  CHECK(ended.status == 1);
  const auto summary = place.summary();
  for (const auto& trial : summary.at("trials")) {
    CHECK(trial.at("valid") == false);
    CHECK(trial.at("step_count") == 0);
  }
}

TEST_CASE("online: a local trial has the caller's working directory and environment") {
  Workplace place;
  place.environment()["GREETING"] = "hello";
  place.environment()["GE_MS_TARGET_PASSWORD"] = "secret";
  place.write("show.sh", "pwd; echo \"[$GREETING][$GE_MS_TARGET_PASSWORD]\"; exit 3\n");
  const Ended ended = place.tune({"--run-command", "/bin/bash show.sh", "--repeat", "1",
                                  "--configs", "cv", "--order", "fixed"});
  CHECK(ended.status == 1);
  const std::string output = read_text(place.run_directory() / "trial_000_default_r1/stdout.log");
  CHECK(output == place.directory().string() + "\n[hello][]\n");
  CHECK(ended.output.find("GE_MS_TARGET_PASSWORD") != std::string::npos);
  // A program that fails is shown with the end of its output.
  CHECK(ended.output.find("| [hello][]") != std::string::npos);
  CHECK(place.summary().at("trials").at(0).at("exit_code") == 3);
}

TEST_CASE("online: STEP lines reach the run directory while the program runs") {
  Workplace place;
  place.environment()["STANDIN_FAULT"] = "hang@6";  // after some steps it waits for ever
  Running tune = place.start_tune(online({"--configs", "cv", "--repeat", "1", "--order", "fixed"}));
  const bool live = eventually([&] {
    return place.has_run_directory() &&
           read_text(place.run_directory() / "trial_000_default_r1/steps.log").find("step=4 ") !=
               std::string::npos;
  });
  CHECK(live);
  tune.signal(SIGINT);
  CHECK(tune.wait().status == 130);
}

TEST_CASE("online: a run that takes too long is ended with everything that it started") {
  Workplace place;
  const std::string marker = "sleep 98765";
  place.write("hang.sh", "(setsid " + marker + " &) ; (trap '' TERM; " + marker + ") & wait\n");
  const Ended ended = place.tune({"--run-command", "/bin/bash hang.sh", "--repeat", "1",
                                  "--configs", "default", "--timeout", "1"});
  INFO(ended.output);
  CHECK(ended.status == 1);
  const auto trial = place.summary().at("trials").at(0);
  CHECK(trial.at("reason_codes").at(0) == "timeout");
  CHECK(processes_with("98765").empty());
}

TEST_CASE("online: Ctrl-C ends what runs, ranks what is there and leaves with 130") {
  Workplace place;
  place.write("first.sh", "exec " + program("sample_run") + " --steps 12\n");
  place.write("some.sh",
              "if [ \"$GE_AUTO_MULTISTREAM_PARALLEL_MODE\" = default ]; then . ./first.sh; fi\n"
              "exec sleep 87654\n");
  Running tune = place.start_tune({"--run-command", "/bin/bash some.sh", "--repeat", "1",
                                   "--configs", "cv", "--order", "fixed"});
  CHECK(eventually([&] { return !processes_with("87654").empty(); }));
  tune.signal(SIGINT);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 130);
  CHECK(processes_with("87654").empty());
  const auto summary = place.summary();
  CHECK(summary.at("trials").size() == 1);
  CHECK(summary.at("summaries").at(0).at("config") == "default");
}

TEST_CASE("online: a coordinator that is killed takes its agent and its trial with it") {
  Workplace place;
  Running tune = place.start_tune({"--run-command", "sleep 76543", "--configs", "cv"});
  CHECK(eventually([&] { return !processes_with("76543").empty(); }));
  tune.signal(SIGKILL);
  CHECK(eventually([&] { return processes_with("76543").empty(); }));
  CHECK(eventually([&] { return processes_with(place.directory().string()).empty(); }));
  CHECK_FALSE(place.has_temporary_files());
}

TEST_CASE("online: bad arguments end with 2 before anything is made") {
  Workplace place;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--run-command", "x", "--streams", "65"},
        {"--run-command", "x {om}"},
        {"--run-command", "'x"},
        {"--run-command", "x", "--target", "missing.json"},
        {"--run-command", "x", "--compile-command", "atc {om}"}}) {
    const Ended ended = place.tune(arguments);
    INFO(ended.output);
    CHECK(ended.status == 2);
    CHECK(ended.output.starts_with("mstune: "));
  }
  CHECK_FALSE(fs::exists(place.directory() / "out"));
}

TEST_CASE("online: a dry run prints everything and runs nothing") {
  Workplace place;
  const Ended ended =
      place.tune({"--run-command", "touch ran", "--configs", "cv", "--repeat", "1", "--dry-run"});
  CHECK(ended.status == 0);
  CHECK(ended.output.find("GE_AUTO_MULTISTREAM_PARALLEL_MODE=cv touch ran") != std::string::npos);
  CHECK_FALSE(fs::exists(place.directory() / "ran"));
  CHECK_FALSE(fs::exists(place.directory() / "out"));
}

TEST_CASE("online: printing to stdout is off for the trials, and who had it on is told") {
  Workplace place;
  place.environment()["ASCEND_LOG_PRINT_TO_STDOUT"] = "1";
  const Ended ended = place.tune(online({"--repeat", "1", "--configs", "cv"}));
  CHECK(ended.status == 0);
  CHECK(ended.output.find("ASCEND_LOG_PRINT_TO_STDOUT=1 is off") != std::string::npos);
}

TEST_CASE("online: STEP lines on stdout are read all the same") {
  Workplace place;
  place.write("print.sh",
              "for i in 0 1 2 3 4 5 6; do echo \"[rank0] [GE_MS_TUNE][STEP] api=Run "
              "mode=$GE_AUTO_MULTISTREAM_PARALLEL_MODE model_id=1 step=$i start_us=$((i * 100)) "
              "end_us=$((i * 100 + 50)) cost_us=50 sync_us=0 ret=0 sync_ret=0\"; done\n");
  CHECK(place.tune({"--run-command", "/bin/bash print.sh", "--repeat", "1", "--configs", "cv"})
            .status == 0);
  CHECK(place.summary().at("trials").at(0).at("step_count") == 7);
}

}  // namespace
}  // namespace mstune::test
