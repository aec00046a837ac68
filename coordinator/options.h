// The command line of mstune. Checks what can be checked without looking at the world.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/candidate.h"
#include "common/time.h"
#include "coordinator/analyze.h"
#include "coordinator/commands/confirm.h"
#include "coordinator/evaluation.h"
#include "coordinator/order.h"

namespace mstune::coordinator {

struct TuneOptions {
  bool offline = false;
  std::string run_command;                // as written; may be empty with a target
  std::string compile_command;            // offline
  std::vector<std::string> target_files;  // empty: this machine, through an agent of our own
  std::string om_dir;                     // empty: <run directory>/om
  std::vector<Candidate> candidates;      // `default` first
  int repeat = 3;
  OrderKind order = OrderKind::random;  // of the trials within a round
  std::optional<std::uint64_t> seed;    // of a random order; empty: one is drawn
  bool until_proven = false;            // more rounds until every candidate is settled
  int max_repeat = 20;                  // their bound
  bool refine = false;                  // then the neighbours of the best stream counts
  bool control = false;                 // --aa: `default` runs under a second name, too
  int confirm_rounds = 0;               // fresh rounds for the winner; 0: none
  std::string digest_pattern;           // empty: results are not compared
  Gates gates;
  Duration timeout = std::chrono::seconds(1800);  // zero: none
  std::string output_dir = "./ge_ms_autotune_output";
  bool keep_going = false;
  bool dry_run = false;
};

// What is to be printed instead of working, and the exit status: --help, --version.
struct Printed {
  std::string text;
  int status = 0;
};

using Command = std::variant<Printed, TuneOptions, AnalyzeOptions, ConfirmOptions>;

// Throws a usage error for whatever cannot be right.
Command parse_command_line(int argc, const char* const* argv);

// The words of a compile command. Throws a usage error when it holds neither {om} nor {om_prefix},
// or an option that decides about streams: the pass does, and two sources of truth would conflict.
std::vector<std::string> compile_words(const std::string& compile_command);

}  // namespace mstune::coordinator
