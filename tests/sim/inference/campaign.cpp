#include "tests/sim/inference/campaign.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mstune::sim {

Truth all_alike(double speedup) {
  Truth truth{std::vector<double>(7, speedup), {}};
  truth.speedups[kBaseline] = 1.0;
  return truth;
}

Truth one_winner() {
  return {{1.0, 1.10, 1.06, 1.0, 1.0, 1.0, 1.0}, {}};
}

Box::Box(const NoiseModel& model, const std::vector<double>& median_pool,
         std::size_t planned_trials, std::uint64_t seed)
    : model_(model), median_pool_(median_pool), planned_trials_(planned_trials), random_(seed) {
  order_seed_ = random_.bits();
}

double Box::run(const Truth& truth, std::size_t candidate, std::size_t slot) {
  const double factor = truth.spread_factors.empty() ? 1.0 : truth.spread_factors[candidate];
  const bool heavy = model_.heavy_share > 0.0 && random_.uniform() < model_.heavy_share;
  const double elapsed =
      std::min(1.0, static_cast<double>(trials_) / static_cast<double>(planned_trials_));
  ++trials_;
  return -std::log(truth.speedups[candidate]) +
         factor * (heavy ? 3.0 : 1.0) * model_.between * random_.normal() +
         median_pool_[random_.bits() % median_pool_.size()] + std::log1p(model_.warming * elapsed) +
         (slot == 0 ? std::log1p(model_.first_slot) : 0.0);
}

void Box::round(const Truth& truth, const std::vector<std::size_t>& participants,
                std::size_t number, OrderKind order, std::vector<Observation>& runs) {
  const auto slots = round_order({order, order_seed_}, number, participants);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    runs.push_back({slots[slot], number, run(truth, slots[slot], slot)});
  }
}

SequentialOutcome run_until_proven(Box& box, const Truth& truth, const Sequential& fresh,
                                   CriticalPoints& points) {
  Sequential sequential = fresh;
  std::vector<Observation> runs;
  std::vector<std::size_t> participants(truth.speedups.size());
  std::iota(participants.begin(), participants.end(), std::size_t{0});
  SequentialOutcome outcome;
  while (!participants.empty()) {
    box.round(truth, participants, outcome.rounds, OrderKind::random, runs);
    ++outcome.rounds;
    participants = sequential.look(Layout(truth.speedups.size(), runs), points).next_round;
  }
  outcome.progress = sequential.progress();
  outcome.tied = sequential.tied_with_best();
  outcome.trials = runs.size();
  return outcome;
}

}  // namespace mstune::sim
