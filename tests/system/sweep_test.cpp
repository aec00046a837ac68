// Every call of coordinator and agent that changes the file system, hit once: by kill -9, by an
// input/output error, by a disk that is full from then on. The campaign is resumed, and its run
// directory is that of an undisturbed one.
#include <algorithm>
#include <array>
#include <csignal>
#include <random>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/system/fault_place.h"
#include "tests/system/run_masks.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string name;
  std::vector<std::string> options;
  bool offline = false;
};

std::vector<Kind> kinds() {
  return {
      {"online, fixed order", {"--order", "fixed", "--repeat", "2"}},
      {"online, random order, control runs",
       {"--order", "random", "--seed", "7", "--repeat", "2", "--aa"}},
      {"offline", {"--order", "random", "--seed", "7", "--repeat", "2"}, true},
      {"until proven", {"--order", "fixed", "--until-proven", "--max-repeat", "4"}},
      {"confirmed", {"--order", "fixed", "--repeat", "3", "--confirm", "2"}},
  };
}

// A campaign on this machine, of programs that need no toolkit.
class SweepPlace {
 public:
  explicit SweepPlace(const Kind& kind) : kind_(kind) {
    write_steps_program(place_);
    place_.write("run.sh",
                 "export GE_AUTO_MULTISTREAM_PARALLEL_MODE=default\n"
                 "case $1 in *LoadBalance4*)\n"
                 "  GE_AUTO_MULTISTREAM_PARALLEL_MODE=LoadBalance:4;;\nesac\n"
                 "exec " +
                     steps_command(place_, 8, 0) + "\n");
    place_.write("build.sh", "echo \"$GE_AUTO_MULTISTREAM_PARALLEL_MODE\" > \"$1.om\"\n");
    place_.write("counter", std::string(8, '\0'));
    place_.environment()["TMPDIR"] = place_.directory().string();
  }

  Workplace& place() { return place_; }

  // With a fault, or without one.
  Ended run(const std::string& sweep) {
    std::vector<std::string> arguments = kind_.options;
    const std::string directory = place_.directory().string();
    if (kind_.offline) {
      arguments.insert(arguments.end(),
                       {"--mode", "offline", "--compile-command",
                        "/bin/bash " + directory + "/build.sh {om_prefix}", "--run-command",
                        "/bin/bash " + directory + "/run.sh {om}"});
    } else {
      arguments.insert(arguments.end(), {"--run-command", steps_command(place_, 8, 0)});
    }
    arguments.insert(arguments.end(), {"--configs", "LoadBalance:4"});
    if (has_campaign()) {
      arguments.insert(arguments.end(), {"--resume", place_.run_directory().string()});
    } else {
      fs::remove_all(place_.directory() / "out");
    }
    Variables& environment = place_.environment();
    if (sweep.empty()) {
      environment.erase("LD_PRELOAD");
    } else {
      environment["LD_PRELOAD"] = MSTUNE_FAULT_CALLS;
      environment["MSTUNE_SWEEP"] = sweep;
      environment["MSTUNE_SWEEP_COUNTER"] = directory + "/counter";
    }
    return place_.start_tune(arguments).wait();
  }

  [[nodiscard]] bool has_campaign() const {
    return place_.has_run_directory() && fs::exists(place_.run_directory() / "campaign.json");
  }

  // Calls that were counted so far.
  [[nodiscard]] unsigned long calls() const {
    const std::string bytes = read_text(place_.directory() / "counter");
    unsigned long number = 0;
    std::copy_n(bytes.begin(), std::min(bytes.size(), sizeof number),
                reinterpret_cast<char*>(&number));
    return number;
  }

  // Nothing but the run: no process, no temporary file, no trace of an agent.
  [[nodiscard]] std::vector<std::string> left_behind() const {
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
    return left;
  }

 private:
  Kind kind_;
  Workplace place_;
};

struct Undisturbed {
  std::map<std::string, std::string> files;
  unsigned long calls = 0;
};

Undisturbed undisturbed(const Kind& kind, const std::string& program_name) {
  SweepPlace place(kind);
  const Ended ended = place.run(program_name + ":0:count");
  INFO(ended.output);
  REQUIRE(ended.status == 0);
  REQUIRE(place.calls() > 20);
  return {masked_run(place.place().run_directory()), place.calls()};
}

void hit(const Kind& kind, const Undisturbed& wanted, const std::string& sweep) {
  CAPTURE(kind.name);
  CAPTURE(sweep);
  SweepPlace place(kind);
  const Ended faulty = place.run(sweep);
  CAPTURE(faulty.output);
  const Ended last = place.run("");  // also where it went well: a trial may have found no room
  CAPTURE(last.output);
  CHECK(last.status == 0);
  for (const std::string& difference :
       differences(wanted.files, masked_run(place.place().run_directory()))) {
    FAIL_CHECK(difference);
  }
  eventually([&] { return place.left_behind().empty(); }, std::chrono::seconds(10));
  for (const std::string& left : place.left_behind()) {
    FAIL_CHECK(left);
  }
  const fs::path attempts = place.place().run_directory() / "attempts";
  if (fs::exists(attempts)) {
    for (const auto& attempt : fs::directory_iterator(attempts)) {
      CHECK(fs::exists(attempt.path() / "attempt.json"));
    }
  }
}

// Points spread over all calls: every one of them in the long form.
void sweep(const std::string& program_name, std::size_t points, std::size_t points_at_length) {
  std::mt19937_64 random(11);
  const auto all = kinds();
  const bool is_long = how_many(1, 2) == 2;
  const std::size_t wanted_points = is_long ? points_at_length : points;
  const std::size_t kinds_used = is_long ? all.size() : 1;
  for (std::size_t at = 0; at < kinds_used; ++at) {
    const Undisturbed wanted = undisturbed(all[at], program_name);
    const std::size_t of_kind = std::max<std::size_t>(1, wanted_points / kinds_used);
    for (std::size_t point = 0; point < of_kind; ++point) {
      const char* const what = std::array{"kill", "eio", "enospc"}[point % 3];
      const unsigned long begin = point * wanted.calls / of_kind;
      const unsigned long end = std::max(begin + 1, (point + 1) * wanted.calls / of_kind);
      hit(all[at], wanted,
          program_name + ":" + std::to_string(1 + begin + random() % (end - begin)) + ":" + what);
    }
  }
}

TEST_CASE("sweep: whatever call of the coordinator is hit, the resumed run is whole") {
  sweep("mstune", 4, 1500);
}

TEST_CASE("sweep: whatever call of the agent is hit, the run is whole") {
  sweep("mstune-agent", 2, 500);
}

}  // namespace
}  // namespace mstune::test
