// A campaign of one kind whose programs get a fault from the preload library, on this machine or
// over two agents of its own.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/system/campaign.h"

namespace mstune::test {

struct CampaignKind {
  std::string name;
  std::vector<std::string> options;
  bool offline = false;
  std::string spread = {};  // over two agents; empty: on this machine alone
};

// Two agents that are started again whenever they end, as a service is.
class SweepAgents {
 public:
  explicit SweepAgents(Workplace& place) : place_(place) {}
  ~SweepAgents() { stop(); }
  SweepAgents(const SweepAgents&) = delete;
  SweepAgents& operator=(const SweepAgents&) = delete;

  // With the environment of the workplace; writes boxes.json.
  void start();
  // Those that ended, without the fault that may have ended them.
  void revive();
  void stop();

 private:
  void start(std::size_t at, const Variables& environment);
  // The port, or nothing when it ended before it listened.
  std::string begin(std::size_t at, const Variables& environment);

  Workplace& place_;
  std::array<std::unique_ptr<Running>, 2> agents_;
  std::array<int, 2> ports_{};  // they keep the ones that they had first
};

class SweepPlace {
 public:
  explicit SweepPlace(CampaignKind kind);

  // With a fault, as fault_calls.cpp reads it, or without one where that is empty. Goes on with the
  // run that there is. Agents of its own are started anew each time.
  Ended run(const std::string& fault);
  // Of the program that is named in the faults, so far.
  [[nodiscard]] unsigned long calls() const;
  // What remained beside the run: a program, a temporary file, a trial at an agent, a trace of one.
  [[nodiscard]] std::vector<std::string> left_behind() const;
  [[nodiscard]] std::filesystem::path run_directory() const { return place_.run_directory(); }
  // As masked_run() says.
  [[nodiscard]] std::map<std::string, std::string> result() const;

 private:
  [[nodiscard]] bool has_campaign() const;
  [[nodiscard]] std::vector<std::string> arguments() const;

  CampaignKind kind_;
  Workplace place_;
  SweepAgents agents_;
};

}  // namespace mstune::test
