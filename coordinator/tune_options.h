// What `mstune tune` was asked for, once it has been checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/candidate.h"
#include "common/time.h"
#include "coordinator/evaluation.h"
#include "coordinator/fleet.h"
#include "coordinator/order.h"
#include "coordinator/plog_choice.h"

namespace mstune::coordinator {

// Of --confirm and mstune confirm: rounds of four runs, unless a number is given.
inline constexpr int kConfirmRounds = 5;

// What options may say at most.
inline constexpr int kMaxRepeatMax = 1000;
inline constexpr double kSecondsMax = 1e9;

struct TuneOptions {
  bool offline = false;
  std::string run_command;                // as written; may be empty with a target
  bool shell = false;                     // run_command is for a shell
  std::string compile_command;            // offline
  std::vector<std::string> target_files;  // empty: this machine, through an agent of our own
  std::string inventory;                  // a file with a list of targets; empty: none
  Spread spread = Spread::share;          // where there is more than one device
  bool ignore_busy = false;               // measure though somebody else uses the device
  bool allow_mismatch = false;            // go on with agents that do not fit together
  std::string om_dir;                     // empty: <run directory>/om
  std::string strategies;                 // these three as written; they make `candidates`
  std::string streams;
  std::string configs;                // overrides the two above
  std::vector<Candidate> candidates;  // `default` first
  int repeat = 3;
  OrderKind order = OrderKind::random;  // of the trials within a round
  std::optional<std::uint64_t> seed;    // of a random order; empty: one is drawn
  bool until_proven = false;            // more rounds until every candidate is settled
  int max_repeat = 20;                  // their bound
  bool refine = false;                  // then the neighbours of the best stream counts
  bool control = false;                 // --aa: `default` runs under a second name, too
  int confirm_rounds = 0;               // fresh rounds for the winner; 0: none
  std::string digest_pattern;           // empty: results are not compared
  GivenGates given_gates;               // as written; they make `gates`
  Gates gates;
  Duration timeout = std::chrono::seconds(1800);  // of a run; zero: none
  std::optional<Duration> build_timeout;          // each of these as `timeout` when empty
  std::optional<Duration> upload_timeout;         // of one file
  std::optional<Duration> wait_timeout;           // for a free device
  int compile_jobs = 1;                           // builds at the same time
  std::string output_dir = "./ge_ms_autotune_output";
  std::string resume;  // a run directory to go on with; empty: a new one
  int retries = 2;     // of a trial that failed by no fault of its program
  Duration reconnect_grace = std::chrono::seconds(60);
  Duration connect_timeout = std::chrono::seconds(15);
  Duration agent_wait = std::chrono::seconds(1800);     // for one that was there and has gone
  Duration stall_timeout = std::chrono::seconds(1800);  // of a trial without a timeout; zero: none
  PlogChoice plog = PlogChoice::all;
  std::uint64_t plog_limit_bytes = std::uint64_t{64} << 20U;  // of a trial
  std::uint64_t output_limit_bytes = 0;                       // of a trial; 0: the agent's own
  std::uint64_t records_max = 10'000'000;                     // of a trial; more end it
  bool keep_going = false;
  bool pipeline = false;  // a trial starts when its own OM is there, not when all are
  bool dry_run = false;
  bool quiet = false;        // only the result is printed
  bool json_lines = false;   // events as JSON, and nothing else, on stdout
  bool manage_pass = false;  // install the pass before, remove it after
  std::string pass_library;  // empty: looked for
};

}  // namespace mstune::coordinator
