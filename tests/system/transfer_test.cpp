// Files on their way to an agent and in its store, with the real programs.
#include <csignal>

#include <doctest/doctest.h>

#include "tests/system/agent.h"
#include "tests/system/screen.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

std::string atc(const std::string& graph, const std::string& more = "") {
  return "atc --model=" + model(graph) + " --soc_version=Ascend910B2 --output={om_prefix}" + more;
}

// A campaign of two candidates on the agent of target.json.
std::vector<std::string> offline(std::vector<std::string> more,
                                 const std::string& compile = atc("chain")) {
  more.insert(more.begin(), {"--mode", "offline", "--compile-command", compile, "--run-command",
                             program("sample_infer") + " --om {om} --loop 8", "--target",
                             "target.json", "--repeat", "1", "--configs", "LoadBalance:2"});
  return more;
}

nlohmann::json ask_agents(Workplace& place, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {program("mstune"), "agents", "--target", "target.json", "--json"});
  const Ended ended = place.run(more);
  INFO(ended.output);
  CHECK(ended.status == 0);
  return nlohmann::json::parse(ended.output).at("agents").at(0);
}

void check_all_valid(const Workplace& place) {
  for (const auto& trial : place.trials()) {
    CHECK(trial.at("valid") == true);
  }
}

TEST_CASE("agents: tell their version, round trip, store and devices") {
  Workplace place;
  Agent agent(place, "*", {"--devices", "0-1"});
  write_target(place, agent.port(), "");
  const auto answer = ask_agents(place);
  CHECK(answer.at("reachable") == true);
  CHECK_FALSE(answer.at("software").get<std::string>().empty());
  CHECK(answer.at("round_trip_ms") > 0);
  CHECK(answer.at("store").at("files") == 0);
  CHECK(answer.at("store").at("free_bytes") > 0);
  REQUIRE(answer.at("devices").size() == 2);
  CHECK(answer.at("devices").at(1).at("device") == 1);
  CHECK(answer.at("devices").at(1).at("state") == "free");
  CHECK(answer.at("devices").at(1).at("holder").is_null());
  const Ended table = place.run({program("mstune"), "agents", "--target", "target.json"});
  INFO(table.output);
  CHECK(table.status == 0);
  CHECK(table.output.find("round trip") != std::string::npos);
  CHECK(table.output.find("0 files, 0 B of 64.0 GiB") != std::string::npos);
}

TEST_CASE("agents: say who holds a device") {
  Workplace place;
  Agent agent(place, "*", {"--devices", "3"});
  write_target(place, agent.port(), "");
  Running tune = place.start_tune({"--run-command", "sleep 65433", "--target", "target.json",
                                   "--repeat", "1", "--configs", "default"});
  const auto device_now = [&] { return ask_agents(place).at("devices").at(0); };
  CHECK(eventually([&] { return device_now().at("state") == "busy"; }));
  const auto device = device_now();
  CHECK(device.at("device") == 3);
  CHECK(device.at("trial") == 0);
  CHECK(device.at("holder").is_string());
  tune.signal(SIGINT);
  CHECK(tune.wait().status == 130);
}

TEST_CASE("agents: a watch prints one table after the other until Ctrl-C") {
  Workplace place;
  Agent agent(place, "*", {"--devices", "0"});
  write_target(place, agent.port(), "");
  Running watch = place.start(
      {program("mstune"), "agents", "--target", "target.json", "--watch", "--interval", "0.1"});
  const auto has_three = [&] {
    std::size_t tables = 0;
    const std::string& output = watch.output();
    for (auto at = output.find("round trip"); at != std::string::npos;
         at = output.find("round trip", at + 1)) {
      ++tables;
    }
    return tables >= 3;
  };
  CHECK(eventually(has_three));
  watch.signal(SIGINT);
  const Ended ended = watch.wait();
  CHECK(ended.status == 130);
  CHECK(ended.output.find('\x1b') == std::string::npos);
  CHECK(place.run({program("mstune"), "agents", "--target", "target.json", "--interval", "1"})
            .status == 2);
}

TEST_CASE("agents: at a terminal a watch draws each table over the one before") {
  Workplace place;
  Agent agent(place, "*", {"--devices", "0"});
  write_target(place, agent.port(), "");
  const std::string target = (place.directory() / "target.json").string();
  place.write("watch.sh", "stty cols 200\nexport TERM=xterm\n" + program("mstune") +
                              " agents --target " + target +
                              " --watch --interval 0.1\necho ends $?\n");
  Running watch = place.start({"script", "-qec", "sh watch.sh", "/dev/null"});
  const auto drawn = [&] {
    const std::string& output = watch.output();
    const auto first = output.find("\x1b[J");
    return first != std::string::npos && output.find("\x1b[J", first + 1) != std::string::npos;
  };
  CHECK(eventually(drawn));
  const auto watchers = processes_with(target);
  REQUIRE(watchers.size() == 1);
  CHECK(::kill(watchers.front(), SIGINT) == 0);
  const std::string left = screen_after(watch.wait().output);
  INFO(left);
  CHECK(left.find("round trip") != std::string::npos);
  CHECK(left.find("round trip") == left.rfind("round trip"));
  CHECK(left.find("ends 130") != std::string::npos);
}

TEST_CASE("agents: one that is not there is told beside those that are") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  place.write("gone.json",
              R"({"host": "127.0.0.1", "port": 1, "server_key": ")" + public_key(place) + "\"}");
  const Ended ended =
      place.run({program("mstune"), "agents", "--target", "target.json", "--target", "gone.json"});
  INFO(ended.output);
  CHECK(ended.status == 1);
  CHECK(ended.output.find("no answer within 5 s") != std::string::npos);
  CHECK(ended.output.find("0 files") != std::string::npos);
}

TEST_CASE("agents: an inventory names them all, and nobody at all is an error") {
  Workplace place;
  Agent agent(place);
  place.write("boxes.json", R"({"targets": [{"host": "127.0.0.1", "port": )" + agent.port() +
                                R"(, "server_key": ")" + public_key(place) + "\"}]}");
  const Ended ended = place.run({program("mstune"), "agents", "--inventory", "boxes.json"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("0 files") != std::string::npos);
  CHECK(place.run({program("mstune"), "agents"}).status == 2);
}

TEST_CASE("transfer: the store is kept for the next run, until it is purged") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  CHECK(place.tune(offline({})).status == 0);
  CHECK(ask_agents(place).at("store").at("files") == 2);
  const auto purged = ask_agents(place, {"--purge"});
  CHECK(purged.at("purged").at("freed_bytes") > 0);
  CHECK(purged.at("purged").at("kept_bytes") == 0);
  CHECK(purged.at("store").at("files") == 0);
  CHECK(fs::is_empty(place.directory() / "agent/store/blobs"));
}

TEST_CASE("transfer: with \"keep\": false nothing of a campaign stays at the agent") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), R"(, "keep": false)");
  CHECK(place.tune(offline({})).status == 0);
  check_all_valid(place);
  // Its goodbye has been sent; the agent drops the files when the trials' processes are gone.
  CHECK(eventually([&] { return ask_agents(place).at("store").at("bytes") == 0; }));
}

TEST_CASE("transfer: external weights travel with their OM") {
  for (const char* option : {" --external_weight=1", " --external_weight=2"}) {
    CAPTURE(option);
    Workplace place;
    Agent agent(place);
    write_target(place, agent.port(), "");
    const Ended ended = place.tune(offline({}, atc("bigweights", option)));
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK_FALSE(fs::is_empty(place.run_directory() / "om/weight"));
    check_all_valid(place);
  }
}

TEST_CASE("transfer: files of the target are where {files} says, also in online mode") {
  Workplace place;
  Agent agent(place);
  place.write("in.txt", "a");
  place.write("other.txt", "b");
  place.write("run.sh",
              "[ \"$(cat \"$1/in.txt\")\" = a ] && [ \"$(cat \"$1/deep/b\")\" = b ] && "
              "exec " +
                  program("sample_run") + " --steps 12\n");
  write_target(place, agent.port(),
               R"(, "files": ["in.txt", {"path": "other.txt", "name": "deep/b"}])");
  const Ended ended = place.tune(
      {"--run-command", "/bin/sh " + (place.directory() / "run.sh").string() + " {files}",
       "--target", "target.json", "--repeat", "1", "--configs", "LoadBalance:2"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  check_all_valid(place);
}

TEST_CASE("transfer: an empty OM arrives as what it is") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  const Ended ended = place.tune({"--mode", "offline", "--compile-command", "touch {om}",
                                  "--run-command", "test ! -s {om}", "--target", "target.json",
                                  "--repeat", "1", "--configs", "default"});
  INFO(ended.output);
  CHECK(place.summary().at("trials").at(0).at("exit_code") == 0);
}

TEST_CASE("transfer: a store that is too small is said, and the agent lives on") {
  Workplace place;
  Agent agent(place, "*", {"--store-limit", "1KB"});
  write_target(place, agent.port(), "");
  const Ended ended = place.tune(offline({}));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("raise --store-limit") != std::string::npos);
  CHECK(ask_agents(place).at("store").at("bytes") == 0);
}

TEST_CASE("transfer: builds side by side have directories of their own and leave no litter") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  const Ended ended = place.tune(offline({"--compile-jobs", "2"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  check_all_valid(place);
  for (const auto& entry : fs::directory_iterator(place.run_directory() / "om")) {
    CHECK_FALSE(entry.path().filename().string().starts_with("build_"));
  }
  fs::create_symlink(model("chain"), place.directory() / "chain.graph");
  const Ended relative =
      place.tune(offline({"--compile-jobs", "2"},
                         "atc --model=chain.graph --soc_version=Ascend910B2 --output={om_prefix}"));
  CHECK(relative.status == 2);
  CHECK(relative.output.find((place.directory() / "chain.graph").string()) != std::string::npos);
}

TEST_CASE("transfer: nothing is built on a machine that is measuring, even in a pipeline") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  // Each build and each run fails when it meets another one.
  const std::string lock = (place.directory() / "one_at_a_time").string();
  const auto alone = [&](const std::string& command) {
    return "bash -c 'mkdir " + lock + " && { " + command + "; status=$?; rmdir " + lock +
           "; exit $status; }'";
  };
  const Ended ended = place.tune(
      {"--mode", "offline", "--pipeline", "--compile-command", alone(atc("chain")), "--run-command",
       alone(program("sample_infer") + " --om {om} --loop 8"), "--target", "target.json",
       "--repeat", "2", "--configs", "LoadBalance:2,LoadBalance:3"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(place.summary().at("trials").size() == 6);
  check_all_valid(place);
}

TEST_CASE("transfer: waiting for a device has a time of its own") {
  Workplace place;
  Agent agent(place, "*", {"--devices", "0"});
  write_target(place, agent.port(), "");
  Running first = place.start_tune({"--run-command", "sleep 65434", "--target", "target.json",
                                    "--repeat", "1", "--configs", "default"});
  CHECK(eventually([&] { return ask_agents(place).at("devices").at(0).at("state") == "busy"; }));
  const Ended second =
      place.run({program("mstune"), "tune", "--output-dir", (place.directory() / "second").string(),
                 "--run-command", "true", "--target", "target.json", "--repeat", "1", "--configs",
                 "default", "--wait-timeout", "0.5"});
  INFO(first.output());
  INFO(second.output);
  CHECK(second.output.find("no device was free for 500 ms (--wait-timeout)") != std::string::npos);
  first.signal(SIGINT);
  first.wait();
}

}  // namespace
}  // namespace mstune::test
