// Log lines for tests, as GE writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "coordinator/record_log.h"

namespace mstune::coordinator {

struct StepText {
  std::string pid = "4242";  // of the header; empty: no header
  std::string mode = "default";
  std::string object = "model_id=1";
  std::uint64_t step = 0;
  std::uint64_t start_us = 0;
  std::uint64_t cost_us = 100;
  std::string results = "ret=0 sync_ret=0";

  [[nodiscard]] std::string line() const {
    const std::string header = pid.empty() ? ""
                                           : fmt::format(
                                                 "[INFO] GE({},infer):2026-11-29-14:40:08.762.257 "
                                                 "[step_recorder.cc:137]{} Record:",
                                                 pid, pid);
    return fmt::format(
        "{}[GE_MS_TUNE][STEP] api=NnExecute mode={} {} step={} start_us={} "
        "end_us={} cost_us={} sync_us=10 {}",
        header, mode, object, step, start_us, start_us + cost_us, cost_us, results);
  }
};

inline constexpr std::string_view kPlog = "plog/run/plog/plog-4242_20260902143015123.log";

// Adds steps first .. first+count-1, one after the other in time, on lines from 1 on.
inline void add_steps(RecordLog& log, std::string_view source, StepText text, std::uint64_t first,
                      std::uint64_t count) {
  for (std::uint64_t at = 0; at < count; ++at) {
    text.step = first + at;
    text.start_us = 1000 * text.step;
    log.add(source, at + 1, text.line());
  }
}

}  // namespace mstune::coordinator
