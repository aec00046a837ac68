// The gates: may the steps of one trial be compared with others? Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/message.h"
#include "common/object_id.h"
#include "coordinator/step_set.h"
#include "protocol/trial_events.h"

namespace mstune::coordinator {

struct Gates {
  std::uint64_t drop_first = 1;         // steps below this number are warm-up
  std::uint64_t min_steps = 5;          // retained steps that the main object needs
  std::optional<ObjectId> main_object;  // empty: the one with most retained records
  bool drop_auto = false;               // find the warm-up's end; drop_first where there is none
};

// Gates that somebody asked for; where a field is empty, those of the campaign hold.
struct GivenGates {
  std::optional<std::uint64_t> drop_first;  // a number also ends looking for the warm-up's end
  bool drop_auto = false;                   // with it drop_first is empty
  std::optional<std::uint64_t> min_steps;
  std::optional<ObjectId> main_object;
};

Gates overridden(Gates gates, const GivenGates& given);

// Why a trial does not count.
struct Reason {
  std::string code;  // never changes: "too_few_steps"; goes into `reason_codes`
  Message sentence;
};

// What a device's meters showed; empty where that is not known.
struct MeterReading {
  int device = 0;  // logic id
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> clock_mhz;
};

// What became of the program, as those saw it who ran it.
struct TrialOutcome {
  std::optional<int> exit_code;  // negative: a signal; empty: it never started
  bool exit_unknown = false;     // only its logs are there: nobody saw it end
  std::optional<double> wall_seconds;
  std::vector<Reason> reasons;  // from outside: "timeout", "agent_lost", "not_built"
  std::vector<MeterReading> readings_before = {};  // of its devices, before it was started
  std::vector<MeterReading> readings_after = {};   // and when its processes were gone
  protocol::Facts facts = {};                      // what the agent saw; protocol/README.md
  std::string output_end = {};                     // of what one that does not count printed
};

// What the records tell of the run besides their costs, for trial_cause.h.
struct RecordSigns {
  std::optional<double> last_end_s;      // of the last step of all, on its machine's clock
  Integer error = 0;                     // `ret` or `sync_ret` of the first step that failed
  std::uint64_t lost_steps = 0;          // missing between others of the main object
  std::optional<ObjectId> equal_object;  // of the main object's process, with as many steps
  bool clock_went_back = false;          // within a step or between two
  bool conflict_on_stdout = false;       // both records of it stand there
  bool from_cache = false;               // GE took a graph from its model cache
};

struct TrialEvaluation {
  bool valid = false;
  std::vector<Reason> reasons;  // those of the outcome first; empty exactly when valid
  std::vector<Message> warnings;
  std::uint64_t step_count = 0;  // distinct steps of all objects, warm-up included
  std::optional<ProcessObject> main_object;
  std::uint64_t processes = 0;          // that wrote records
  std::uint64_t drop_first = 0;         // steps below this number were left out
  std::vector<std::uint64_t> costs_us;  // of the main object's retained steps
  std::optional<double> start_s;        // of the first of them, on its machine's clock
  RecordSigns signs;
  std::optional<Reason> cause;  // filled in by name_causes(): the most likely, and what to do
};

// `expected_mode` is the candidate as it was handed to the pass: a record with another text was
// made by another pass or a stale OM.
TrialEvaluation evaluate(const StepSet& steps, std::string_view expected_mode,
                         const TrialOutcome& outcome, const Gates& gates);

// For a trial that has no records because it never ran.
TrialEvaluation evaluate_unrun(const TrialOutcome& outcome);

// True for the codes that evaluate() itself gives; others come from outside.
bool is_gate_code(std::string_view code);

}  // namespace mstune::coordinator
