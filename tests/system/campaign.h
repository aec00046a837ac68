// Runs the real programs against the stand-in toolkit, each test in a directory of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/os/process.h"
#include "common/time.h"

namespace mstune::test {

using Variables = std::map<std::string, std::string>;

// Programs with another one in it are as on different machines. A Workplace's have the same.
inline constexpr const char* kTurnDirectory = "MSTUNE_TURN_DIRECTORY";

// What a program left behind when it ended.
struct Ended {
  int status = 0;  // negative: a signal
  std::string output;
};

// A program that runs; killed with its group when the test ends before it.
class Running {
 public:
  Running(const std::vector<std::string>& command, const std::filesystem::path& directory,
          const Variables& environment);

  [[nodiscard]] pid_t id() const { return process_.id(); }
  void signal(int number) const;
  // What it has printed so far.
  const std::string& output();
  bool has_ended();
  // Throws when it has not ended within the time.
  Ended wait(Duration wait = std::chrono::seconds(240));

 private:
  void read();

  os::Process process_;
  std::string output_;
};

// A fresh directory, an environment as set_env.sh of the stand-in makes it, and helpers to run
// mstune there. The directory is kept and named when the test fails.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  Variables& environment() { return environment_; }

  // A toolkit of this test's own, with the pass or without it.
  void use_own_toolkit(bool with_pass);
  [[nodiscard]] const std::filesystem::path& toolkit() const { return toolkit_; }

  void write(const std::string& name, const std::string& text) const;
  Running start(const std::vector<std::string>& command);
  Ended run(const std::vector<std::string>& command);
  // `mstune tune` with these arguments and an output directory below this one.
  Ended tune(std::vector<std::string> arguments);
  Running start_tune(std::vector<std::string> arguments);

  // The one run directory that the last campaign made; it throws when there is not exactly one.
  [[nodiscard]] bool has_run_directory() const { return run_directories().size() == 1; }
  [[nodiscard]] std::filesystem::path run_directory() const;
  [[nodiscard]] nlohmann::json summary() const;
  // Those of the summary, by value: a loop over a part of a document that is gone reads anything.
  [[nodiscard]] nlohmann::json trials() const { return summary().at("trials"); }
  // What a coordinator's own agent leaves where temporary files go.
  [[nodiscard]] bool has_temporary_files() const;

 private:
  [[nodiscard]] std::vector<std::filesystem::path> run_directories() const;

  std::filesystem::path directory_;
  std::filesystem::path toolkit_;
  Variables environment_;
};

// Waits for something to become true; false when it does not within the time.
bool eventually(const std::function<bool()>& condition, Duration wait = std::chrono::seconds(60));

std::string read_text(const std::filesystem::path& path);

// "tcp://HOST:PORT", from what an agent printed; empty until it listens.
std::string endpoint_in(const std::string& output);
std::string port_in(const std::string& output);

// Living processes whose command line holds this text.
std::vector<pid_t> processes_with(const std::string& text);

std::string program(const std::string& name);  // path of mstune, mstune-agent, sample_run …
std::string model(const std::string& name);    // path of a graph of the stand-in

std::string pass_of_build();
std::filesystem::path vendors(const Workplace& place);  // where CANN has its passes

// MSTUNE_TEST_LONG is set: bounds are those of the long forms, as scripts/long.sh runs them.
bool is_long();

}  // namespace mstune::test
