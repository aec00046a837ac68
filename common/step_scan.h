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

// A line with a tag, without its '\n'; `number` counts from 1. Of a line longer than
// kStepLineMax, the part around its tags: what stands far before the first or after the last tag
// is left out.
using StepLineSink = std::function<void(std::uint64_t number, std::string_view line)>;

inline constexpr std::size_t kStepLineMax = 16 * 1024;

class StepScanner {
 public:
  // Delivers each line with a tag that ends in `bytes`; holds an unterminated tail back.
  void feed(std::string_view bytes, const StepLineSink& sink);

  // Delivers the unterminated tail if it holds a tag: its writer is gone.
  void finish(const StepLineSink& sink);

  // Lines that have ended so far.
  [[nodiscard]] std::uint64_t lines() const { return number_ - 1; }

 private:
  void scan_whole_lines(std::string_view bytes, const StepLineSink& sink);
  void keep(std::string_view part);
  void end_kept_line(const StepLineSink& sink);

  std::string tail_;  // of the line that has not ended
  bool tail_holds_tag_ = false;
  std::uint64_t number_ = 1;  // of the line that has not ended
};

}  // namespace mstune
