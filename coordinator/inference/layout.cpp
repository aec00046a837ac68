#include "coordinator/inference/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mstune {
namespace {

// The normal equations of the candidates' effects after the rounds' effects are eliminated.
struct ReducedEquations {
  std::size_t size = 0;
  std::vector<double> matrix;  // size x size, symmetric, singular: effects are only differences
  std::vector<double> right;

  double& at(std::size_t row, std::size_t column) { return matrix[row * size + column]; }
};

struct Solution {
  double explained = 0.0;  // sum of squares that the candidates' effects explain
  std::size_t rank = 0;
};

// Gaussian elimination on a positive semidefinite matrix. Pivots that vanish are the directions
// that the data do not determine; leaving them out yields one of the equivalent solutions.
Solution eliminate(ReducedEquations equations) {
  constexpr double kVanished = 1e-9;
  Solution solution;
  for (std::size_t pivot = 0; pivot < equations.size; ++pivot) {
    const double diagonal = equations.at(pivot, pivot);
    if (diagonal < kVanished) {
      continue;
    }
    ++solution.rank;
    solution.explained += equations.right[pivot] * equations.right[pivot] / diagonal;
    for (std::size_t row = pivot + 1; row < equations.size; ++row) {
      const double factor = equations.at(row, pivot) / diagonal;
      for (std::size_t column = pivot + 1; column < equations.size; ++column) {
        equations.at(row, column) -= factor * equations.at(pivot, column);
      }
      equations.right[row] -= factor * equations.right[pivot];
    }
  }
  return solution;
}

}  // namespace

Layout::Layout(std::size_t candidates, std::span<const Observation> runs)
    : candidates_(candidates) {
  for (const Observation& run : runs) {
    rounds_ = std::max(rounds_, run.round + 1);
  }
  cells_.assign(candidates_ * rounds_, std::numeric_limits<double>::quiet_NaN());
  for (const Observation& run : runs) {
    cells_.at(run.round * candidates_ + run.candidate) = run.log_cost;
  }
}

bool Layout::ran(std::size_t candidate, std::size_t round) const {
  return !std::isnan(log_cost(candidate, round));
}

double Layout::log_cost(std::size_t candidate, std::size_t round) const {
  return cells_[round * candidates_ + candidate];
}

Difference Layout::difference(std::size_t candidate, std::size_t other) const {
  Difference difference;
  for (std::size_t round = 0; round < rounds_; ++round) {
    if (!ran(candidate, round) || !ran(other, round)) {
      continue;
    }
    const double value = log_cost(other, round) - log_cost(candidate, round);
    ++difference.rounds;
    const double step = value - difference.log_speedup;
    difference.log_speedup += step / static_cast<double>(difference.rounds);
    difference.squares += step * (value - difference.log_speedup);
  }
  return difference;
}

std::size_t Layout::common_rounds(std::span<const std::size_t> candidates) const {
  std::size_t count = 0;
  for (std::size_t round = 0; round < rounds_; ++round) {
    count += std::all_of(candidates.begin(), candidates.end(),
                         [&](std::size_t candidate) { return ran(candidate, round); })
                 ? 1U
                 : 0U;
  }
  return count;
}

std::optional<Spread> Layout::spread() const {
  ReducedEquations equations{candidates_, std::vector<double>(candidates_ * candidates_),
                             std::vector<double>(candidates_)};
  double within_rounds = 0.0;
  std::size_t runs = 0;
  std::size_t rounds_used = 0;
  std::vector<std::size_t> present;
  for (std::size_t round = 0; round < rounds_; ++round) {
    present.clear();
    double mean = 0.0;
    for (std::size_t candidate = 0; candidate < candidates_; ++candidate) {
      if (ran(candidate, round)) {
        present.push_back(candidate);
        mean += log_cost(candidate, round);
      }
    }
    if (present.empty()) {
      continue;
    }
    const double share = 1.0 / static_cast<double>(present.size());
    mean *= share;
    runs += present.size();
    ++rounds_used;
    for (const std::size_t row : present) {
      const double deviation = log_cost(row, round) - mean;
      within_rounds += deviation * deviation;
      equations.right[row] += deviation;
      equations.at(row, row) += 1.0;
      for (const std::size_t column : present) {
        equations.at(row, column) -= share;
      }
    }
  }
  const Solution solution = eliminate(std::move(equations));
  if (runs <= rounds_used + solution.rank) {
    return std::nullopt;
  }
  const auto degrees = static_cast<double>(runs - rounds_used - solution.rank);
  return Spread{std::max(0.0, within_rounds - solution.explained) / degrees, degrees};
}

}  // namespace mstune
