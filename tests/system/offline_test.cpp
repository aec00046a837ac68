#include <csignal>

#include <doctest/doctest.h>

#include "tests/system/agent.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

std::string atc(const std::string& graph) {
  return "atc --model=" + model(graph) + " --soc_version=Ascend910B2 --output={om_prefix}";
}

std::vector<std::string> offline(const std::string& graph, std::vector<std::string> more) {
  more.insert(more.begin(), {"--mode", "offline", "--compile-command", atc(graph), "--run-command",
                             program("sample_infer") + " --om {om} --loop 8"});
  return more;
}

TEST_CASE("offline: one OM for each candidate is built, uploaded, run and ranked") {
  Workplace place;
  const Ended ended = place.tune(offline("wide", {"--repeat", "1", "--streams", "2,4"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const fs::path om = place.run_directory() / "om";
  for (const char* config : {"default", "LoadBalance2", "MainStream4"}) {
    CHECK(fs::exists(om / ("model_" + std::string(config) + ".om")));
    CHECK(read_text(om / ("compile_" + std::string(config) + ".log")).find("ATC run success") !=
          std::string::npos);
  }
  const auto summary = place.summary();
  CHECK(summary.at("compile_command") == atc("wide"));
  for (const auto& trial : summary.at("trials")) {
    CHECK(trial.at("valid") == true);
  }
  CHECK(processes_with(place.directory().string()).empty());
}

TEST_CASE("offline: atc's name for dynamic shapes is accepted and kept") {
  Workplace place;
  const Ended ended =
      place.tune({"--mode", "offline", "--compile-command", atc("dynamic"), "--run-command",
                  program("sample_infer") + " --om {om} --loop 8 --dynamic-dims 8,256", "--repeat",
                  "1", "--configs", "LoadBalance:2"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("model_default_linux_") != std::string::npos);
}

TEST_CASE("offline: a silent fall back to one stream makes a trial void, in its plog as well") {
  Workplace place;
  place.environment()["ENABLE_DYNAMIC_SHAPE_MULTI_STREAM"] = "1";
  place.environment()["STANDIN_STREAMS_FREE"] = "2";
  const Ended ended =
      place.tune({"--mode", "offline", "--compile-command", atc("dynamic"), "--run-command",
                  program("sample_infer") + " --om {om} --loop 8 --dynamic-dims 8,256", "--repeat",
                  "1", "--configs", "LoadBalance:2,LoadBalance:4"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  std::map<std::string, nlohmann::json> codes;
  for (const auto& trial : place.trials()) {
    CHECK(trial.at("exit_code") == 0);
    codes[trial.at("config")] = trial.at("reason_codes");
  }
  CHECK(codes.at("default").empty());
  CHECK(codes.at("LoadBalance:2").empty());
  CHECK(codes.at("LoadBalance:4") == nlohmann::json::array({"single_stream_fallback"}));
  // What comes back of it says the same to whoever has nothing else.
  const fs::path run = place.run_directory();
  std::string plog;
  for (const auto& entry : fs::directory_iterator(run)) {
    if (entry.path().filename().string().find("LoadBalance4") != std::string::npos &&
        fs::exists(entry.path() / "plog")) {
      CHECK(plog.empty());
      plog = (entry.path() / "plog").string();
    }
  }
  const Ended again = place.run({program("mstune"), "analyze", "--json", "LoadBalance:4=" + plog});
  INFO(again.output);
  CHECK(again.output.find("single_stream_fallback") != std::string::npos);
}

TEST_CASE("offline: models that GE unloads for their streams make a trial void") {
  Workplace place;
  place.environment()["STANDIN_STREAMS_FREE"] = "3";
  const Ended ended = place.tune(
      offline("wide", {"--repeat", "1", "--order", "fixed", "--configs", "LoadBalance:4"}));
  INFO(ended.output);
  const auto trials = place.trials();
  CHECK(trials.at(0).at("valid") == true);
  CHECK(trials.at(1).at("reason_codes").at(0) == "models_unloaded");
}

TEST_CASE("offline: a failing build stops the campaign with 2 and names its log") {
  Workplace place;
  place.environment()["STANDIN_ATC_FAIL"] = "LoadBalance:2";
  const Ended ended = place.tune(offline("chain", {"--repeat", "1", "--configs", "LoadBalance:2"}));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("compile_LoadBalance2.log") != std::string::npos);
  CHECK(fs::exists(place.run_directory() / "om/model_default.om"));
}

TEST_CASE("offline: --keep-going voids the candidate that does not build, never default") {
  Workplace place;
  place.environment()["STANDIN_ATC_FAIL"] = "LoadBalance:2";
  const Ended ended = place.tune(offline("chain", {"--repeat", "1", "--configs", "LoadBalance:2,cv",
                                                   "--order", "fixed", "--keep-going"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto trials = place.summary().at("trials");
  REQUIRE(trials.size() == 3);
  CHECK(trials.at(1).at("config") == "LoadBalance:2");
  CHECK(trials.at(1).at("exit_code").is_null());
  CHECK(trials.at(1).at("reason_codes").at(0) == "build_failed");
  CHECK(trials.at(2).at("valid") == true);
}

TEST_CASE("offline: {om} for a tool that appends .om is met with a sentence about {om_prefix}") {
  Workplace place;
  const Ended ended =
      place.tune({"--mode", "offline", "--compile-command",
                  "atc --model=" + model("chain") + " --soc_version=Ascend910B2 --output={om}",
                  "--run-command", "true {om}"});
  CHECK(ended.status == 2);
  CHECK(ended.output.find("{om_prefix}") != std::string::npos);
}

TEST_CASE("offline: a build that takes too long is ended with its workers") {
  Workplace place;
  place.environment()["STANDIN_ATC_SLOW_MS"] = "60000";
  const Ended ended = place.tune(offline("chain", {"--timeout", "1"}));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("did not end within 1 s") != std::string::npos);
  CHECK(processes_with(place.directory().string()).empty());
}

TEST_CASE("offline: an agent on another box runs what the target file says, with its CANN") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(),
               R"(, "run_command": ")" + program("sample_infer") + R"( --om {om} --loop 8")");
  const Ended ended =
      place.tune({"--mode", "offline", "--compile-command", atc("diamond"), "--target",
                  "target.json", "--repeat", "1", "--configs", "LoadBalance:2"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(place.summary().at("target_host") == "127.0.0.1");
  // The agent goes on and has put its trials away.
  CHECK(fs::is_empty(place.directory() / "agent" / "trials"));
  agent.running().signal(SIGTERM);
  CHECK(agent.running().wait().status == 0);
}

TEST_CASE("offline: a second run of the same OMs sends nothing again") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  const auto run = [&] {
    fs::remove_all(place.directory() / "out");
    return place.tune({"--mode", "offline", "--compile-command", atc("bigweights"), "--target",
                       "target.json", "--repeat", "1", "--configs", "LoadBalance:2",
                       "--run-command", program("sample_infer") + " --om {om} --loop 8"});
  };
  const Ended first = run();
  INFO(first.output);
  CHECK(first.status == 0);
  const Ended second = run();
  INFO(second.output);
  CHECK(second.status == 0);
  CHECK(second.output.find("[upload] default: 32.") != std::string::npos);
  CHECK(second.output.find(", 0 B sent") != std::string::npos);
}

TEST_CASE("target: both commands, or none, is an error that says which") {
  Workplace place;
  make_keys(place);
  write_target(place, "18600", R"(, "run_command": "x")");
  const Ended both = place.tune({"--run-command", "y", "--target", "target.json"});
  CHECK(both.status == 2);
  CHECK(both.output.find("keep one of them") != std::string::npos);
  write_target(place, "18600", "");
  CHECK(place.tune({"--target", "target.json"}).status == 2);
}

TEST_CASE("target: no agent there is found out and said") {
  Workplace place;
  make_keys(place);
  write_target(place, "1", "");
  const Ended ended = place.tune({"--run-command", "true", "--target", "target.json"});
  CHECK(ended.status == 2);
  CHECK(ended.output.find("no agent answered") != std::string::npos);
}

TEST_CASE("target: a cann_env that is not there voids the trials with its name") {
  Workplace place;
  Agent agent(place);
  place.write("target.json", R"({"host": "127.0.0.1", "port": )" + agent.port() +
                                 R"(, "server_key": ")" + public_key(place) +
                                 R"(", "cann_env": "/nowhere/set_env.sh"})");
  const Ended ended = place.tune(
      {"--run-command", "true", "--target", "target.json", "--repeat", "1", "--configs", "cv"});
  CHECK(ended.status == 1);
  CHECK(ended.output.find("/nowhere/set_env.sh") != std::string::npos);
}

TEST_CASE("agent: one that is killed and started again has its trial run again") {
  Workplace place;
  auto agent = std::make_unique<Agent>(place);
  const std::string port = agent->port();
  write_target(place, port, "");
  place.write("once.sh", "[ -e " + (place.directory() / "second").string() + " ] || sleep 65432\n");
  Running tune =
      place.start_tune({"--run-command", "/bin/bash " + (place.directory() / "once.sh").string(),
                        "--target", "target.json", "--repeat", "1", "--configs", "default"});
  CHECK(eventually([&] { return !processes_with("65432").empty(); }));
  place.write("second", "");
  agent->running().signal(SIGKILL);
  agent->running().wait();
  agent.reset();
  agent = std::make_unique<Agent>(place, port);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 1);  // it prints no step
  const auto trial = place.summary().at("trials").at(0);
  CHECK(trial.at("attempt") == 2);
  CHECK(trial.at("exit_code") == 0);
  CHECK(processes_with("65432").empty());  // of its former life
  CHECK(fs::exists(place.run_directory() / "attempts" / "trial_000_default_r1_a1"));
}

}  // namespace
}  // namespace mstune::test
