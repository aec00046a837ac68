// Bytes in any cut → the lines that hold STEP records, at the speed of a search for the tag.
//
// Does what LineSplitter and is_step_line do together, without looking at every line: logs of GBs
// hold few records. Memory is bounded whatever the length of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mstune {

// A line with a tag, without its '\n'; `number` counts from 1. Delivered once for each tag in it:
// each time the part that belongs to that tag, which is the whole line when it has one tag and is
// no longer than a record reaches (kStepLeadMax, kStepFieldsMax).
using StepLineSink = std::function<void(std::uint64_t number, std::string_view line)>;

class StepScanner {
 public:
  // Delivers each record whose line ends in `bytes`; holds an unterminated tail back, save records
  // that a further tag or their greatest length has already ended.
  void feed(std::string_view bytes, const StepLineSink& sink);

  // Delivers the record in the unterminated tail, if there is one: its writer is gone.
  void finish(const StepLineSink& sink);

 private:
  void scan_whole_lines(std::string_view bytes, const StepLineSink& sink);
  void keep(std::string_view part, const StepLineSink& sink);
  void trim_tail(const StepLineSink& sink);
  void deliver(std::string_view line, const StepLineSink& sink) const;
  void deliver_one(std::string_view line, std::size_t tag, const StepLineSink& sink) const;

  std::string tail_;          // what may still matter of the line that has not ended
  bool open_ = false;         // a line has begun and not ended
  std::uint64_t number_ = 1;  // of the line that has not ended
};

// Line ends in `bytes`.
std::uint64_t count_line_ends(std::string_view bytes);

}  // namespace mstune
