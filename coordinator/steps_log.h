// steps.log: the STEP lines of a trial, and GE's EVENT lines (common/event_line.h), as the live
// tail saw them, raw, with their origin. Pure.
//
// One line each: "<source>:<line number>:<raw line>". In `source`, a path relative to the trial's
// directory, '%', ':' and control bytes stand as %XX. The raw line is kept byte by byte; it cannot
// hold a '\n'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mstune::coordinator {

struct StepsLogLine {
  std::string source;
  std::uint64_t line = 0;
  std::string_view text;  // inside the line that was parsed
};

// With the '\n' at its end.
std::string format_steps_log_line(std::string_view source, std::uint64_t line,
                                  std::string_view text);

// `line` without its '\n'. Empty when it is not one of ours: the last line of a run that was
// killed may be cut.
std::optional<StepsLogLine> parse_steps_log_line(std::string_view line);

}  // namespace mstune::coordinator
