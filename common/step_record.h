// One line of a log → the STEP records in it.
//
// The one parser: the agent's live filter, tune and analyze all read records with this. It knows
// the text of a record and the header before it; which process a record belongs to may depend on
// the rest of its file and is not decided here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "common/message.h"
#include "common/object_id.h"

namespace mstune {

inline constexpr std::string_view kStepTag = "[GE_MS_TUNE][STEP]";

// How far a record reaches to both sides of its tag, in bytes. The log library cuts lines at 1 KiB;
// a file without line ends must not make a record out of a gigabyte.
inline constexpr std::size_t kStepLeadMax = 4 * 1024;
inline constexpr std::size_t kStepFieldsMax = std::size_t{12} * 1024;

// Where the first tag begins, or npos. The search that everything else waits for.
std::size_t find_step_tag(std::string_view text);

// Views point into the line that was parsed.
struct StepRecord {
  std::string_view api;   // "NnExecute", "Run", "ModelV2Executor"
  std::string_view mode;  // the configuration in effect, "LoadBalance:4"
  ObjectId object;
  Integer step = 0;
  Integer start_us = 0;  // wall clock
  Integer end_us = 0;
  std::uint64_t cost_us = 0;  // end - start
  Integer sync_us = 0;
  Integer ret = 0;
  Integer sync_ret = 0;
  std::optional<std::uint64_t> header_pid;  // of the log header before the record, if there is one
};

struct MalformedStep {
  Message why;
};

using StepText = std::variant<StepRecord, MalformedStep>;

// True when the line holds a tag, and so something that parse_steps would deliver.
bool is_step_line(std::string_view line);

// Takes the first record off `line`, whose fields reach to the next tag or the end at most; `line`
// becomes what follows the tag, or empty when no other tag does. Empty when there is no tag. A
// damaged log can glue several records into one line, so call it until it is empty.
//
// Fields are name=value tokens split at white space; the first token without '=' ends them, a
// later equal name wins, an empty value counts as missing, unknown names are ignored.
std::optional<StepText> take_step(std::string_view& line);

// The process id of the log header "[LEVEL] MODULE(PID,PNAME):..." in `text`, which ends where the
// record's tag begins: of the first header, for PNAME may hold any character and look like one.
// Empty when there is no header.
std::optional<std::uint64_t> header_pid(std::string_view text);

}  // namespace mstune
