// What many simulated campaigns show about the statistics, as figures between 0 and 1 or means.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coordinator/inference/critical_points.h"
#include "coordinator/inference/sequential.h"
#include "coordinator/order.h"
#include "tests/sim/inference/campaign.h"

namespace mstune::sim {

struct Experiment {
  const NoiseModel& model;
  Truth truth;
  std::size_t campaigns = 1000;
  std::uint64_t seed = 1;
};

struct FixedFigures {
  double falsely_proven = 0.0;  // campaigns that call a candidate proven that is not 5 % faster
  double covered = 0.0;         // campaigns whose intervals all hold the truth
  double best_in_tie = 0.0;     // campaigns whose tie set holds the truly best candidate
  double tie_size = 0.0;        // mean
  double mean_width = 0.0;      // of the intervals, in log speedup
};

FixedFigures measure_fixed(const Experiment& experiment, std::size_t rounds, OrderKind order,
                           CriticalPoints& points);

struct SequentialFigures {
  double falsely_proven = 0.0;
  double covered = 0.0;
  double best_proven = 0.0;  // campaigns that prove the truly best candidate
  double best_in_tie = 0.0;
  double tie_size = 0.0;  // mean
  double trials = 0.0;    // mean
};

SequentialFigures measure_until_proven(const Experiment& experiment, const SequentialRules& rules,
                                       CriticalPoints& points);

// Campaigns that prove a candidate which is not 5 % faster, when so many stages follow each other
// as they do with --refine: fresh rounds of as many candidates, each stage with its part of the
// error.
double falsely_proven_in_stages(const Experiment& experiment, const SequentialRules& rules,
                                std::size_t stages, CriticalPoints& points);

// How the variance of a comparison may be estimated and the points chosen; the product's own is
// `mixed_dunnett`. The others are here to show what they would cost.
enum class Method { mixed_dunnett, mixed_bonferroni, common_dunnett, own_dunnett };

struct MethodFigures {
  double covered = 0.0;
  double mean_width = 0.0;
};

MethodFigures measure_method(const Experiment& experiment, std::size_t rounds, Method method,
                             CriticalPoints& points);

}  // namespace mstune::sim
