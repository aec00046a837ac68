#include "coordinator/live_view.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "common/display_width.h"
#include "common/language.h"

namespace mstune::coordinator {
namespace {

using std::chrono::seconds;

const TimePoint kStart = TimePoint{} + seconds(1000);

Trial trial(std::uint32_t index, std::string_view candidate, int round) {
  return {index, parse_candidate(candidate), round};
}

TrialDone done(const Trial& which, std::uint64_t cost_us, bool valid = true) {
  EvaluatedTrial evaluated;
  evaluated.trial = which;
  evaluated.evaluation.valid = valid;
  evaluated.evaluation.costs_us = {cost_us, cost_us, cost_us};
  return {evaluated, ""};
}

// Two candidates, the first round done, the second one running.
LiveState campaign() {
  LiveState state;
  const auto candidates = candidates_of_list("LoadBalance:4,MainStream:2");
  state.take(CampaignBegun{candidates, 2, "run_1"}, TimePoint{});
  state.take(TrialsPlanned{6, false}, kStart);
  const std::vector<std::pair<const char*, std::uint64_t>> costs{
      {"default", 8000}, {"LoadBalance:4", 6400}, {"MainStream:2", 8800}};
  std::uint32_t index = 0;
  for (const auto& [candidate, cost_us] : costs) {
    state.take(TrialBegun{trial(index, candidate, 1), "./infer"}, kStart + seconds(10 * index));
    state.take(done(trial(index, candidate, 1), cost_us), kStart + seconds(10 * index + 10));
    ++index;
  }
  state.take(TrialBegun{trial(3, "LoadBalance:4", 2), "./infer"}, kStart + seconds(30));
  state.take(StepsSeen{trial(3, "LoadBalance:4", 2), 17, 6500.0}, kStart + seconds(31));
  return state;
}

std::string text(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) {
    all += line + '\n';
  }
  return all;
}

TEST_CASE("live view: what runs, what is done and to do, time left, the ranking so far") {
  CHECK(text(live_lines(campaign(), Terminal{}, kStart + seconds(32))) ==
        "[##########----------] trial 4 of 6, round 2 of 2, 32 s, about 32 s left\n"
        "> LoadBalance:4 round 2  2 s  17 steps, median 6.500 ms, 1.231 x default\n"
        "  candidate      valid  median(ms)  speedup\n"
        "  LoadBalance:4    1/1       6.400    1.250\n"
        "  default          1/1       8.000    1.000\n"
        "  MainStream:2     1/1       8.800    0.909\n");
}

TEST_CASE("live view: a device is compared with itself, and several are ranked by their ratios") {
  LiveState state;
  state.take(CampaignBegun{candidates_of_list("LoadBalance:4,MainStream:2"), 2, "run_1"},
             TimePoint{});
  state.take(TrialsPlanned{7, false}, kStart);
  const auto on = [](std::uint32_t device, std::uint32_t index, std::string_view candidate) {
    Trial which = trial(index, candidate, 1);
    which.device = device;
    return which;
  };
  state.take(done(on(0, 0, "default"), 1000), kStart + seconds(1));
  state.take(done(on(1, 1, "default"), 8000), kStart + seconds(1));
  state.take(done(on(0, 2, "LoadBalance:4"), 800), kStart + seconds(2));
  state.take(done(on(1, 3, "LoadBalance:4"), 6400), kStart + seconds(2));
  state.take(done(on(0, 4, "MainStream:2"), 1000), kStart + seconds(3));
  state.take(done(on(1, 5, "MainStream:2"), 7921), kStart + seconds(3));
  state.take(TrialBegun{on(1, 6, "LoadBalance:4"), "./infer"}, kStart + seconds(3));
  state.take(StepsSeen{on(1, 6, "LoadBalance:4"), 17, 4000.0}, kStart + seconds(3));
  const std::string drawn = text(live_lines(state, Terminal{}, kStart + seconds(3)));
  INFO(drawn);
  CHECK(drawn.find("median 4.000 ms, 2.000 x ") != std::string::npos);
  CHECK(
      drawn.ends_with("  LoadBalance:4    2/2           -    1.250\n"
                      "  MainStream:2     2/2           -    1.005\n"
                      "  default          2/2           -    1.000\n"));
}

TEST_CASE("live view: no line is wider than the terminal, whatever its width and language") {
  for (const Language language : {Language::english, Language::chinese}) {
    speak(language);
    for (std::size_t columns = 1; columns <= 100; ++columns) {
      const Terminal terminal{columns, 24, false, true};
      for (const std::string& line : live_lines(campaign(), terminal, kStart + seconds(32))) {
        CHECK(display_width(line) <= columns);
      }
    }
  }
  speak(Language::english);
}

TEST_CASE("live view: it leaves a row of the terminal free, and says what has no room") {
  for (std::size_t rows = 1; rows <= 10; ++rows) {
    const auto lines = live_lines(campaign(), Terminal{80, rows, false, false}, kStart);
    CHECK(lines.size() < std::max<std::size_t>(rows, 2));
  }
  const auto lines = live_lines(campaign(), Terminal{80, 6, false, false}, kStart);
  CHECK(lines.back() == "  and 2 more");
}

TEST_CASE("live view: ASCII without UTF-8, no sequence without colour, each sequence ended") {
  const auto is_ascii = [](const std::string& line) {
    return std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
  };
  for (const std::string& line : live_lines(campaign(), Terminal{}, kStart)) {
    CHECK(is_ascii(line));
  }
  const auto coloured = live_lines(campaign(), Terminal{80, 24, true, true}, kStart);
  CHECK(text(coloured).find("\u2588") != std::string::npos);
  CHECK(coloured[3].starts_with("\x1b[32m"));  // an improvement
  CHECK(coloured[4].find('\x1b') == std::string::npos);
  CHECK(coloured[5].starts_with("\x1b[31m"));  // a regression
  for (const std::string& line : coloured) {
    CHECK((line.find('\x1b') == std::string::npos || line.ends_with("\x1b[0m")));
  }
}

TEST_CASE("live view: before anything is known it says nothing") {
  CHECK(live_lines(LiveState(), Terminal{}, kStart).empty());
}

TEST_CASE("live state: what confirms is ranked where nothing else is measured") {
  const auto confirming = [](std::uint32_t index, const char* candidate) {
    Trial made = trial(index, candidate, 1);
    made.purpose = Purpose::confirm;
    return made;
  };
  LiveState confirm;
  confirm.take(TrialBegun{confirming(0, "default"), ""}, kStart);
  confirm.take(done(confirming(0, "default"), 200), kStart + seconds(1));
  confirm.take(done(confirming(1, "cv"), 100), kStart + seconds(2));
  REQUIRE(confirm.standings().size() == 2);
  CHECK(confirm.standings()[0].speedup == doctest::Approx(2.0));
  LiveState tune = campaign();
  const auto before = tune.standings();
  tune.take(done(confirming(7, "LoadBalance:4"), 1), kStart + seconds(60));
  CHECK(tune.standings()[0].median_us == before[0].median_us);
}

TEST_CASE("live state: void and control trials are done and not ranked; more rounds may come") {
  LiveState state;
  state.take(CampaignBegun{{kDefaultCandidate}, 1, "run_1"}, TimePoint{});
  state.take(TrialsPlanned{2, true}, kStart);
  CHECK_FALSE(state.left(kStart).has_value());
  Trial control = trial(0, "default", 1);
  control.purpose = Purpose::control;
  state.take(TrialBegun{control, ""}, kStart);
  state.take(done(control, 100), kStart + seconds(5));
  state.take(done(trial(1, "default", 1), 200, false), kStart + seconds(10));
  const auto standings = state.standings();
  REQUIRE(standings.size() == 1);
  CHECK(standings[0].trials == 1);
  CHECK(standings[0].valid == 0);
  CHECK_FALSE(standings[0].median_us.has_value());
  state.take(TrialsPlanned{2, true}, kStart + seconds(10));
  CHECK(state.left(kStart + seconds(10)) == seconds(10));
  CHECK(text(live_lines(state, Terminal{}, kStart + seconds(10))).find("trial 2 of 4+") !=
        std::string::npos);
}

}  // namespace
}  // namespace mstune::coordinator
