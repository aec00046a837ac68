// Whole simulated campaigns: rounds on a noisy box, judged by the product's own statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coordinator/inference/critical_points.h"
#include "coordinator/inference/layout.h"
#include "coordinator/inference/sequential.h"
#include "coordinator/order.h"
#include "tests/sim/inference/campaign_model.h"

namespace mstune::sim {

// What is true about the candidates. All vectors go by candidate, `default` first.
struct Truth {
  std::vector<double> speedups;        // {1, 1.10, 1.06, 1, ...}
  std::vector<double> spread_factors;  // on the spread between runs; empty: 1 for all
};

// Seven candidates: `default` and six that are all as fast as `speedup` says.
Truth all_alike(double speedup);

// `default`, one 10 % faster, one 6 % faster, four like `default`.
Truth one_winner();

// One box and its noise; every run takes it one trial further in time.
class Box {
 public:
  // `planned_trials` is the time over which a warming box warms up, after which it stays warm.
  Box(const NoiseModel& model, const std::vector<double>& median_pool, std::size_t planned_trials,
      std::uint64_t seed);

  // Log of the median cost of the next trial, which is in slot `slot` of its round.
  double run(const Truth& truth, std::size_t candidate, std::size_t slot);

  // Runs a round of these candidates in its order and appends what was measured.
  void round(const Truth& truth, const std::vector<std::size_t>& participants, std::size_t number,
             OrderKind order, std::vector<Observation>& runs);

 private:
  const NoiseModel& model_;
  const std::vector<double>& median_pool_;
  std::size_t planned_trials_;
  std::uint64_t order_seed_;
  Random random_;
  std::size_t trials_ = 0;
};

struct SequentialOutcome {
  std::vector<Progress> progress;
  std::vector<std::size_t> tied;
  std::size_t rounds = 0;
  std::size_t trials = 0;
};

// A campaign with --until-proven, from its first round to its last.
SequentialOutcome run_until_proven(Box& box, const Truth& truth, const Sequential& fresh,
                                   CriticalPoints& points);

}  // namespace mstune::sim
