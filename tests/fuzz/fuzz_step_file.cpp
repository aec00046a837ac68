// Any bytes as a log file: however it is cut into reads the records are the same, and what is made
// of them keeps its promises. The first two bytes choose the cuts and the gates.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/step_scan.h"
#include "coordinator/ranking.h"
#include "coordinator/steps_csv.h"
#include "coordinator/steps_log.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using namespace mstune::coordinator;
using mstune::fuzz::check;
using Lines = std::vector<std::pair<std::uint64_t, std::string>>;

Lines scan(std::string_view bytes, std::size_t piece) {
  Lines lines;
  mstune::StepScanner scanner;
  const auto add = [&lines](std::uint64_t number, std::string_view line) {
    lines.emplace_back(number, line);
  };
  while (!bytes.empty()) {
    scanner.feed(bytes.substr(0, piece), add);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  scanner.finish(add);
  return lines;
}

void add_lines(RecordLog& log, const Lines& lines, std::uint8_t choice) {
  constexpr std::string_view kSources[] = {"stdout.log", "plog/run/plog/plog-42_1.log",
                                           "plog/run/plog/plog-43_1.log"};
  for (const auto& [number, line] : lines) {
    // Records wander between files, so that copies and forked children come about.
    const std::string_view source = kSources[(number + choice) % 3];
    const std::string kept = format_steps_log_line(source, number, line);
    const auto read = parse_steps_log_line(std::string_view(kept).substr(0, kept.size() - 1));
    check(read && read->source == source && read->line == number && read->text == line);
    log.add(source, number, line);
  }
}

void check_evaluation(const StepSet& steps, const TrialEvaluation& evaluation) {
  check(evaluation.valid == evaluation.reasons.empty());
  check(evaluation.step_count <= steps.log().size());
  check(evaluation.costs_us.size() <= evaluation.step_count);
  check(evaluation.processes <= evaluation.step_count);
  check(evaluation.main_object.has_value() == !evaluation.costs_us.empty());
}

void check_figures(const Ranking& ranking) {
  for (const Summary& summary : ranking.summaries) {
    if (const auto& figures = summary.figures) {
      check(std::isfinite(figures->mean_us) && std::isfinite(figures->cv) && figures->cv >= 0.0);
      check(figures->median_us <= figures->p90_us);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  if (size < 2) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Lines lines = scan(bytes, SIZE_MAX);
  check(scan(bytes, 1U + data[0]) == lines);

  RecordLog log;
  add_lines(log, lines, data[1]);
  const StepSet steps(log);
  EvaluatedTrial trial;
  trial.outcome.exit_code = 0;
  Gates gates;
  gates.drop_first = data[1] % 3U;
  gates.min_steps = data[1] % 2U;
  trial.evaluation = evaluate(steps, "default", trial.outcome, gates);
  check_evaluation(steps, trial.evaluation);

  std::string csv;
  format_steps_csv(steps, [&csv](std::string_view piece) { csv += piece; });
  check_figures(rank({trial}, {}));
  return 0;
}
