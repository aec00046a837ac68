#include <fmt/format.h>

#include "common/language.h"
#include "coordinator/run_comparison.h"
#include "coordinator/shown_words.h"
#include "coordinator/text_table.h"

namespace mstune::coordinator {
namespace {

using Row = std::vector<std::string>;

std::string milliseconds_cell(std::optional<double> microseconds) {
  return microseconds ? milliseconds_text(*microseconds) : "-";
}

std::string ratio(std::optional<double> value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

// What the interval of a ratio allows to say.
Message change_word(const CandidateChange& change) {
  if (!change.interval) {
    return message("compare.unknown", "not known");
  }
  if (change.interval->low > 0) {
    return message("compare.faster", "faster");
  }
  return change.interval->high < 0 ? message("compare.slower", "slower")
                                   : message("compare.no_difference", "no difference shown");
}

Row row_of(const CandidateChange& change) {
  return {name(change.candidate),
          milliseconds_cell(change.before_us),
          milliseconds_cell(change.after_us),
          ratio(change.ratio),
          change.interval ? said(interval_message(*change.interval)) : "-",
          ratio(change.speedup_before),
          ratio(change.speedup_after),
          said(change_word(change))};
}

}  // namespace

std::string comparison_text(const RunSide& before, const RunSide& after) {
  const RunComparison comparison = compare_runs(before, after);
  std::string text = said(message("compare.before_run", "before: {}", before.name)) + '\n';
  text += said(message("compare.after_run", "after:  {}", after.name)) + "\n\n";
  if (comparison.settings.empty()) {
    text += said(message("compare.same_settings", "Settings and versions are the same.")) + '\n';
  } else {
    text += said(message("compare.settings", "What changed in settings and versions:")) + '\n';
    std::vector<Row> rows{{said(message("compare.key", "key")),
                           said(message("compare.before", "before")),
                           said(message("compare.after", "after"))}};
    for (const SettingChange& change : comparison.settings) {
      rows.push_back({change.key, change.before, change.after});
    }
    text += text_table(rows, {Column::words, Column::words, Column::words});
  }
  text += '\n' +
          said(message("compare.title",
                       "Median step time before and after; a ratio above 1 became faster:")) +
          '\n';
  std::vector<Row> rows{{said(message("table.candidate", "candidate")),
                         said(message("compare.before_ms", "before(ms)")),
                         said(message("compare.after_ms", "after(ms)")),
                         said(message("compare.ratio", "ratio")),
                         said(message("table.interval", "95 % interval")),
                         said(message("compare.speedup_before", "speedup before")),
                         said(message("compare.speedup_after", "speedup after")),
                         said(message("compare.change", "change"))}};
  for (const CandidateChange& change : comparison.candidates) {
    rows.push_back(row_of(change));
  }
  using enum Column;
  text += text_table(rows, {words, figures, figures, figures, figures, figures, figures, words});
  text += '\n';
  const std::string first = name(comparison.recommended_before);
  const std::string second = name(comparison.recommended_after);
  text +=
      said(first == second ? message("compare.same_choice", "Both runs recommend {}.", first)
                           : message("compare.other_choice",
                                     "The recommendation changed from {} to {}.", first, second)) +
      '\n';
  return text;
}

}  // namespace mstune::coordinator
