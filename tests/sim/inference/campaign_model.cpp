#include "tests/sim/inference/campaign_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mstune::sim {

const std::vector<NoiseModel>& noise_models() {
  // The two models of the surroundings, warming and slow slot, have the noise of the typical box.
  static const std::vector<NoiseModel> kModels{
      {.name = "quiet", .between = 0.005, .within = 0.01},
      {.name = "typical", .between = 0.02, .within = 0.02, .lag1 = 0.3, .spike_share = 0.01},
      {.name = "noisy", .between = 0.04, .within = 0.03, .lag1 = 0.5, .spike_share = 0.02},
      {.name = "warming",
       .between = 0.02,
       .within = 0.02,
       .lag1 = 0.3,
       .spike_share = 0.01,
       .warming = 0.10},
      {.name = "shared", .between = 0.08, .within = 0.05, .lag1 = 0.5, .spike_share = 0.05},
      {.name = "slow slot",
       .between = 0.02,
       .within = 0.02,
       .lag1 = 0.3,
       .spike_share = 0.01,
       .first_slot = 0.02},
  };
  return kModels;
}

double Random::uniform() {
  constexpr double kTwoToMinus53 = 0x1.0p-53;
  return (static_cast<double>(engine_() >> 11U) + 0.5) * kTwoToMinus53;
}

double Random::normal() {
  if (spare_) {
    const double value = *spare_;
    spare_.reset();
    return value;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

std::vector<double> simulate_steps(const NoiseModel& model, std::size_t steps, Random& random) {
  std::vector<double> costs;
  costs.reserve(steps);
  const double fresh = std::sqrt(1.0 - model.lag1 * model.lag1);
  double state = random.normal();
  for (std::size_t step = 0; step < steps; ++step) {
    double cost = model.within * state;
    if (model.spike_share > 0.0 && random.uniform() < model.spike_share) {
      cost += std::log(1.5 + 2.5 * random.uniform());
    }
    costs.push_back(cost);
    state = model.lag1 * state + fresh * random.normal();
  }
  return costs;
}

std::vector<double> median_errors(const NoiseModel& model, std::size_t count, Random& random) {
  std::vector<double> errors;
  errors.reserve(count);
  for (std::size_t run = 0; run < count; ++run) {
    std::vector<double> costs = simulate_steps(model, kStepsPerRun, random);
    std::sort(costs.begin(), costs.end());
    errors.push_back(0.5 * (costs[kStepsPerRun / 2 - 1] + costs[kStepsPerRun / 2]));
  }
  return errors;
}

}  // namespace mstune::sim
