// The full simulation bench of the statistics: each requirement with its measured figure.
//
//   bench_inference [campaigns]     default 20000, a few minutes; exit 1 when a figure misses
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/sim/inference/figures.h"

namespace {

using namespace std::string_view_literals;
using mstune::CriticalPoints;
using mstune::OrderKind;
using mstune::SequentialRules;
namespace sim = mstune::sim;

class Bench {
 public:
  explicit Bench(std::size_t campaigns) : campaigns_(campaigns) {}

  [[nodiscard]] sim::Experiment experiment(const sim::NoiseModel& model,
                                           const sim::Truth& truth) const {
    return {model, truth, campaigns_, 20260902};
  }

  void require(std::string_view what, double figure, double least, double most) {
    const bool met = least <= figure && figure <= most;
    missed_ += met ? 0 : 1;
    fmt::print("  {}  {:<58} {:>9.4f}   wanted {} to {}\n", met ? "PASS" : "MISS", what, figure,
               least, most);
  }

  static void note(std::string_view what, double figure) {
    fmt::print("        {:<58} {:>9.4f}\n", what, figure);
  }

  CriticalPoints& points() { return points_; }
  [[nodiscard]] int missed() const { return missed_; }

 private:
  std::size_t campaigns_;
  CriticalPoints points_;
  int missed_ = 0;
};

void fixed_rounds(Bench& bench, const sim::NoiseModel& model) {
  for (const std::size_t rounds : {3U, 10U}) {
    const auto equal = sim::measure_fixed(bench.experiment(model, sim::all_alike(1.0)), rounds,
                                          OrderKind::random, bench.points());
    const auto three = sim::measure_fixed(bench.experiment(model, sim::all_alike(1.03)), rounds,
                                          OrderKind::random, bench.points());
    const auto winner = sim::measure_fixed(bench.experiment(model, sim::one_winner()), rounds,
                                           OrderKind::random, bench.points());
    const std::string name = fmt::format("{}, {} fixed rounds: ", model.name, rounds);
    bench.require(name + "all equal, proven", equal.falsely_proven, 0.0, 0.01);
    bench.require(name + "all 3 % faster, proven", three.falsely_proven, 0.0, 0.01);
    bench.require(name + "all intervals hold", equal.covered, 0.93, 0.975);
    Bench::note(name + "best in the tie set", winner.best_in_tie);
    Bench::note(name + "size of the tie set", winner.tie_size);
  }
}

void until_proven(Bench& bench, const sim::NoiseModel& model) {
  const SequentialRules rules;
  const auto run = [&](const sim::Truth& truth) {
    return sim::measure_until_proven(bench.experiment(model, truth), rules, bench.points());
  };
  const auto equal = run(sim::all_alike(1.0));
  const auto three = run(sim::all_alike(1.03));
  const auto winner = run(sim::one_winner());
  const std::string name = model.name + ", until proven: ";
  bench.require(name + "all equal, proven", equal.falsely_proven, 0.0, 0.01);
  bench.require(name + "all 3 % faster, proven", three.falsely_proven, 0.0, 0.01);
  bench.require(name + "all 3 % faster, refined three times, proven",
                sim::falsely_proven_in_stages(bench.experiment(model, sim::all_alike(1.03)), rules,
                                              4, bench.points()),
                0.0, 0.01);
  Bench::note(name + "all equal, all intervals hold", equal.covered);
  Bench::note(name + "all equal, trials", equal.trials);
  if (model.name == "shared") {  // nothing is required of it; 20 rounds cannot be enough
    Bench::note(name + "best in the tie set", winner.best_in_tie);
    Bench::note(name + "size of the tie set", winner.tie_size);
    Bench::note(name + "best proven", winner.best_proven);
    Bench::note(name + "trials", winner.trials);
    return;
  }
  const bool noisy = model.name == "noisy";
  const auto candidates = static_cast<double>(sim::one_winner().speedups.size());
  bench.require(name + "best in the tie set", winner.best_in_tie, 0.99, 1.0 + 1e-9);
  bench.require(name + "size of the tie set", winner.tie_size, 1.0 - 1e-9, 2.0);
  bench.require(name + "best proven", winner.best_proven, noisy ? 0.80 : 0.95, 1.0 + 1e-9);
  bench.require(name + "trials", winner.trials, 0.0, (noisy ? 15.0 : 10.0) * candidates);
}

struct SpreadCase {
  std::string_view name;
  std::vector<double> factors;
};

// Why the variance is mixed and the points are Dunnett's: the alternatives, side by side.
void methods(Bench& bench, const sim::NoiseModel& model) {
  const std::vector<SpreadCase> cases{{"equal spread", {}},
                                      {"one candidate 2x", {1, 2, 1, 1, 1, 1, 1}},
                                      {"one candidate 3x", {1, 3, 1, 1, 1, 1, 1}},
                                      {"three candidates 2x", {1, 2, 2, 2, 1, 1, 1}},
                                      {"default 2x", {2, 1, 1, 1, 1, 1, 1}},
                                      {"default half", {0.5, 1, 1, 1, 1, 1, 1}}};
  fmt::print("\n{}: share of campaigns whose intervals all hold / mean width\n", model.name);
  fmt::print("  {:<34} {:>16} {:>16} {:>16} {:>16}\n", "", "mixed Dunnett", "mixed Bonferroni",
             "common Dunnett", "own Dunnett");
  for (const std::size_t rounds : {3U, 10U, 20U}) {
    for (const SpreadCase& spread : cases) {
      sim::Truth truth = sim::all_alike(1.0);
      truth.spread_factors = spread.factors;
      fmt::print("  {:<34}", fmt::format("{} rounds, {}", rounds, spread.name));
      for (const auto method : {sim::Method::mixed_dunnett, sim::Method::mixed_bonferroni,
                                sim::Method::common_dunnett, sim::Method::own_dunnett}) {
        const auto figures =
            sim::measure_method(bench.experiment(model, truth), rounds, method, bench.points());
        fmt::print("   {:.4f} / {:.3f}", figures.covered, figures.mean_width);
      }
      fmt::print("\n");
    }
  }
}

// What unequal spread and heavy tails do to --until-proven, and a fixed order to a slow slot.
void beyond_the_models(Bench& bench) {
  fmt::print("\nbeyond the models\n");
  const SequentialRules rules;
  for (const auto index : {1U, 2U}) {
    const sim::NoiseModel& model = sim::noise_models()[index];
    for (const std::size_t unsteady : {0U, 1U}) {
      sim::Truth truth = sim::all_alike(1.0);
      truth.spread_factors.assign(truth.speedups.size(), 1.0);
      truth.spread_factors[unsteady] = 2.0;
      const auto figures =
          sim::measure_until_proven(bench.experiment(model, truth), rules, bench.points());
      Bench::note(fmt::format("{}, candidate {} 2x, until proven: proven", model.name, unsteady),
                  figures.falsely_proven);
    }
  }
  sim::NoiseModel heavy = sim::noise_models()[4];
  heavy.name = "shared, 10 % of runs with 3x";
  heavy.heavy_share = 0.1;
  const auto heavy_fixed = sim::measure_fixed(bench.experiment(heavy, sim::all_alike(1.0)), 10,
                                              OrderKind::random, bench.points());
  const auto heavy_until = sim::measure_until_proven(bench.experiment(heavy, sim::all_alike(1.0)),
                                                     rules, bench.points());
  Bench::note(heavy.name + ", 10 fixed rounds: all intervals hold", heavy_fixed.covered);
  Bench::note(heavy.name + ", 10 fixed rounds: proven", heavy_fixed.falsely_proven);
  Bench::note(heavy.name + ", until proven: proven", heavy_until.falsely_proven);
  const sim::NoiseModel& slow = sim::noise_models()[5];
  const auto fixed_order = sim::measure_fixed(bench.experiment(slow, sim::all_alike(1.0)), 20,
                                              OrderKind::fixed, bench.points());
  Bench::note("slow slot, default always first, 20 rounds: intervals hold", fixed_order.covered);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t campaigns = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20000;
  if (campaigns == 0) {
    fmt::print(stderr, "usage: bench_inference [campaigns], a whole number from 1\n");
    return 2;
  }
  Bench bench(campaigns);
  fmt::print("{} campaigns of 7 candidates per figure\n", campaigns);
  for (const sim::NoiseModel& model : sim::noise_models()) {
    fmt::print("\n{}\n", model.name);
    fixed_rounds(bench, model);
    until_proven(bench, model);
  }
  methods(bench, sim::noise_models()[1]);
  beyond_the_models(bench);
  fmt::print("\n{} missed\n", bench.missed());
  return bench.missed() == 0 ? 0 : 1;
}
