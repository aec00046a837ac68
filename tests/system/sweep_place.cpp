#include "tests/system/sweep_place.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/run_masks.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Variables without_fault(Variables environment) {
  environment.erase("LD_PRELOAD");
  return environment;
}

}  // namespace

void SweepAgents::start() {
  json targets = json::array();
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    start(at, place_.environment());
    targets.push_back({{"host", "127.0.0.1"}, {"port", ports_.at(at)}});
  }
  place_.write("boxes.json", json{{"defaults", {{"insecure", true}}}, {"targets", targets}}.dump());
}

void SweepAgents::revive() {
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    if (agents_.at(at) && agents_.at(at)->has_ended()) {
      agents_.at(at)->wait();
      start(at, without_fault(place_.environment()));
    }
  }
}

void SweepAgents::stop() {
  for (auto& agent : agents_) {
    if (agent) {
      agent->signal(SIGTERM);
      agent->wait();
      agent.reset();
    }
  }
}

void SweepAgents::start(std::size_t at, const Variables& environment) {
  std::string found = begin(at, environment);
  if (found.empty() && ports_.at(at) == 0) {  // else revive() is asked soon
    agents_.at(at)->wait();
    found = begin(at, without_fault(environment));
    REQUIRE_FALSE(found.empty());
  }
  if (!found.empty()) {
    ports_.at(at) = std::stoi(found);
  }
}

std::string SweepAgents::begin(std::size_t at, const Variables& environment) {
  const std::string port = ports_.at(at) == 0 ? "*" : std::to_string(ports_.at(at));
  const fs::path box = place_.directory() / ("box" + std::to_string(at));
  agents_.at(at) = std::make_unique<Running>(
      std::vector<std::string>{program("mstune-agent"), "--insecure", "--listen",
                               "tcp://127.0.0.1:" + port, "--work-dir", box.string(), "--devices",
                               std::to_string(at)},
      place_.directory(), environment);
  Running& agent = *agents_.at(at);
  eventually([&] { return !port_in(agent.output()).empty() || agent.has_ended(); });
  return port_in(agent.output());
}

SweepPlace::SweepPlace(CampaignKind kind) : kind_(std::move(kind)), agents_(place_) {
  write_steps_program(place_);
  place_.write("run.sh",
               "export GE_AUTO_MULTISTREAM_PARALLEL_MODE=default\n"
               "case $1 in *LoadBalance4*)\n"
               "  GE_AUTO_MULTISTREAM_PARALLEL_MODE=LoadBalance:4;;\nesac\n"
               "exec " +
                   steps_command(place_, 8, 0) + "\n");
  place_.write("build.sh", "echo \"$GE_AUTO_MULTISTREAM_PARALLEL_MODE\" > \"$1.om\"\n");
}

Ended SweepPlace::run(const std::string& fault) {
  Variables& environment = place_.environment();
  environment = without_fault(environment);
  if (!fault.empty()) {
    for (const auto& [name, value] : fault_variables(place_.directory() / "counter", fault)) {
      environment[name] = value;
    }
  }
  const bool has_agents = !kind_.spread.empty();
  if (has_agents) {
    agents_.stop();
    agents_.start();
  }
  Running tune = place_.start_tune(arguments());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
  while (has_agents && std::chrono::steady_clock::now() < deadline &&
         !eventually([&] { return tune.has_ended(); }, std::chrono::milliseconds(50))) {
    agents_.revive();
  }
  return tune.wait();
}

bool SweepPlace::has_campaign() const {
  return place_.has_run_directory() && fs::exists(place_.run_directory() / "campaign.json");
}

std::vector<std::string> SweepPlace::arguments() const {
  std::vector<std::string> arguments = kind_.options;
  const std::string directory = place_.directory().string();
  if (kind_.offline) {
    arguments.insert(arguments.end(), {"--mode", "offline", "--compile-command",
                                       "/bin/bash " + directory + "/build.sh {om_prefix}",
                                       "--run-command", "/bin/bash " + directory + "/run.sh {om}"});
  } else {
    arguments.insert(arguments.end(), {"--run-command", steps_command(place_, 8, 0)});
  }
  arguments.insert(arguments.end(), {"--configs", "LoadBalance:4"});
  if (!kind_.spread.empty()) {
    arguments.insert(arguments.end(), {"--inventory", "boxes.json", "--spread", kind_.spread});
  }
  if (has_campaign()) {
    arguments.insert(arguments.end(), {"--resume", place_.run_directory().string()});
  } else {
    fs::remove_all(place_.directory() / "out");
  }
  return arguments;
}

unsigned long SweepPlace::calls() const {
  const std::string bytes = read_text(place_.directory() / "counter");
  unsigned long number = 0;
  std::copy_n(bytes.begin(), std::min(bytes.size(), sizeof number),
              reinterpret_cast<char*>(&number));
  return number;
}

std::vector<std::string> SweepPlace::left_behind() const {
  std::vector<std::string> left;
  if (!processes_with((place_.directory() / "steps.sh").string()).empty()) {
    left.emplace_back("a program runs on");
  }
  for (const auto& entry : fs::recursive_directory_iterator(place_.directory())) {
    const std::string name = entry.path().filename().string();
    const bool is_trace =
        entry.path().parent_path().filename().string().starts_with("mstune-agents-");
    if (name.starts_with(".tmp-") || is_trace ||
        (name.starts_with("mstune-") && entry.path().parent_path() == place_.directory())) {
      left.push_back(entry.path().string() + " was left");
    }
  }
  for (const char* box : {"box0", "box1"}) {
    std::error_code failure;
    if (!fs::is_empty(place_.directory() / box / "trials", failure) && !failure) {
      left.push_back(std::string(box) + " holds trials");
    }
  }
  return left;
}

std::map<std::string, std::string> SweepPlace::result() const {
  return masked_run(place_.run_directory(), kind_.spread == "share");
}

}  // namespace mstune::test
