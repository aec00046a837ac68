#include "coordinator/live_view.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "common/display_width.h"
#include "common/language.h"
#include "coordinator/shown_words.h"
#include "coordinator/text_table.h"

namespace mstune::coordinator {
namespace {

constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kFaint = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::size_t kRowsForRankingMin = 3;

// "12 s": whole seconds, at least one.
std::string time_text(Duration duration) {
  return duration_text(std::max(1.0, std::floor(std::chrono::duration<double>(duration).count())));
}

class Drawing {
 public:
  explicit Drawing(const Terminal& terminal) : terminal_(terminal) {}

  // Cut first and coloured then: a sequence takes no room and is never cut.
  void add(std::string_view text, std::string_view colour = {}) {
    const std::string_view cut = cut_to_width(text, terminal_.columns);
    const bool coloured = terminal_.colour && !colour.empty();
    lines_.push_back(coloured ? fmt::format("{}{}{}", colour, cut, kPlain) : std::string(cut));
  }
  [[nodiscard]] const Terminal& terminal() const { return terminal_; }
  [[nodiscard]] std::size_t room() const {
    return terminal_.rows > lines_.size() + 1 ? terminal_.rows - lines_.size() - 1 : 0;
  }
  std::vector<std::string> take() {
    lines_.resize(std::min(lines_.size(), std::max<std::size_t>(terminal_.rows, 2) - 1));
    return std::move(lines_);
  }

 private:
  Terminal terminal_;
  std::vector<std::string> lines_;
};

// "[######----]" over the planned trials.
std::string bar(const LiveState& state, const Terminal& terminal) {
  constexpr std::size_t kWidth = 20;
  const std::size_t planned = std::max(state.trials_planned(), state.trials_done());
  const std::size_t full = planned == 0 ? 0 : kWidth * state.trials_done() / planned;
  std::string text = "[";
  for (std::size_t at = 0; at < kWidth; ++at) {
    if (terminal.unicode) {
      text += at < full ? "\u2588" : "\u2591";
    } else {
      text += at < full ? '#' : '-';
    }
  }
  return text + "]";
}

void add_head(Drawing& drawing, const LiveState& state, TimePoint now) {
  constexpr std::size_t kColumnsForBar = 60;
  std::string text;
  if (drawing.terminal().columns >= kColumnsForBar) {
    text = bar(state, drawing.terminal()) + " ";
  }
  text += said(message("live.trials", "trial {} of {}",
                       std::min(state.trials_done() + state.running().size(),
                                std::max(state.trials_planned(), state.trials_done())),
                       fmt::format("{}{}", state.trials_planned(), state.open_ended() ? "+" : "")));
  if (state.round() > 0) {
    text +=
        ", " +
        said(message(
            "live.round", "round {} of {}", state.round(),
            fmt::format("{}{}", std::max(state.rounds(), static_cast<std::uint64_t>(state.round())),
                        state.open_ended() ? "+" : "")));
  }
  if (const auto elapsed = state.elapsed(now)) {
    text += ", " + time_text(*elapsed);
  }
  if (const auto left = state.left(now)) {
    text += ", " + said(message("live.left", "about {} left", time_text(*left)));
  }
  drawing.add(text);
}

std::string ratio_text(std::optional<double> default_us, std::optional<double> median_us) {
  return default_us && median_us && *median_us > 0 ? fmt::format("{:.3f}", *default_us / *median_us)
                                                   : "-";
}

void add_running(Drawing& drawing, const LiveState& state, TimePoint now) {
  for (const Candidate& candidate : state.building()) {
    drawing.add(said(message("progress.building", "[build] {} ...", name(candidate))), kFaint);
  }
  for (const RunningTrial& each : state.running()) {
    std::string text = drawing.terminal().unicode ? "\u25b8 " : "> ";
    text += said(title_message(each.trial));
    text += "  " + time_text(now - each.since);
    if (each.median_us) {
      text += "  " + said(message("live.steps", "{} steps, median {} ms, {} x default", each.steps,
                                  milliseconds_text(*each.median_us),
                                  ratio_text(state.default_median_us(each.trial), each.median_us)));
    }
    drawing.add(text);
  }
}

std::string_view colour_of(const StandingSoFar& standing) {
  if (!standing.speedup) {
    return kFaint;
  }
  if (*standing.speedup >= kImprovementSpeedup) {
    return kGreen;
  }
  return *standing.speedup < kRegressionSpeedup ? kRed : std::string_view();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    lines.emplace_back(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return lines;
}

void add_ranking(Drawing& drawing, const LiveState& state) {
  if (drawing.room() < kRowsForRankingMin) {
    return;
  }
  const auto standings = state.standings();
  std::vector<std::vector<std::string>> rows{
      {said(message("table.candidate", "candidate")), said(message("table.valid", "valid")),
       said(message("table.median", "median(ms)")), said(message("table.speedup", "speedup"))}};
  for (const StandingSoFar& each : standings) {
    rows.push_back({name(each.candidate), fmt::format("{}/{}", each.valid, each.trials),
                    each.median_us ? milliseconds_text(*each.median_us) : "-",
                    each.speedup ? fmt::format("{:.3f}", *each.speedup) : "-"});
  }
  using enum Column;
  const auto lines = lines_of(text_table(rows, {words, figures, figures, figures}));
  drawing.add(lines.front(), kFaint);
  // Where not all have room, a last line says how many are left out.
  const std::size_t room = drawing.room();
  const std::size_t shown =
      standings.size() <= room ? standings.size() : std::max<std::size_t>(room, 1) - 1;
  for (std::size_t at = 0; at < shown; ++at) {
    drawing.add(lines[at + 1], colour_of(standings[at]));
  }
  if (shown < standings.size()) {
    drawing.add("  " + said(message("live.more", "and {} more", standings.size() - shown)), kFaint);
  }
}

}  // namespace

std::vector<std::string> live_lines(const LiveState& state, const Terminal& terminal,
                                    TimePoint now) {
  Drawing drawing(terminal);
  if (state.trials_planned() == 0) {
    return {};
  }
  add_head(drawing, state, now);
  add_running(drawing, state, now);
  add_ranking(drawing, state);
  return drawing.take();
}

}  // namespace mstune::coordinator
