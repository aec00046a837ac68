// The evidence of a campaign as a table of candidates by rounds.
//
// One cell holds one run: the natural logarithm of its median step cost. A cell is empty where the
// trial was voided or not wanted. Two estimates come out: differences of two candidates, and the
// spread that is common to all of them. Nothing here knows names, intervals or words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mstune {

inline constexpr std::size_t kBaseline = 0;  // `default` is always the first candidate

struct Observation {
  std::size_t candidate = 0;
  std::size_t round = 0;  // from 0
  double log_cost = 0.0;  // natural logarithm of the run's median step cost
};

// How much faster one candidate is than another, over the rounds that both took part in.
struct Difference {
  double log_speedup = 0.0;  // mean of log(cost of the other) - log(its own cost)
  double squares = 0.0;      // sum of squared deviations from that mean
  std::size_t rounds = 0;    // 0: never in the same round, log_speedup means nothing
};

struct Spread {
  double variance = 0.0;  // of one run about its candidate and round
  double degrees = 0.0;   // > 0
};

class Layout {
 public:
  // A second observation of a cell replaces the first: the last attempt counts.
  Layout(std::size_t candidates, std::span<const Observation> runs);

  [[nodiscard]] std::size_t candidates() const { return candidates_; }
  [[nodiscard]] std::size_t rounds() const { return rounds_; }
  [[nodiscard]] bool ran(std::size_t candidate, std::size_t round) const;
  [[nodiscard]] double log_cost(std::size_t candidate, std::size_t round) const;

  // Complete pairs only: a round that lacks one of the two says nothing about their difference.
  [[nodiscard]] Difference difference(std::size_t candidate, std::size_t other) const;

  // How many rounds hold all of these candidates.
  [[nodiscard]] std::size_t common_rounds(std::span<const std::size_t> candidates) const;

  // Residual variance of log cost = candidate + round + noise, fitted by least squares to the
  // cells that are there; with every cell there, (R-1)(C-1) degrees. Nothing when none is left.
  // Source: two-way layout with missing cells, H. Scheffe, The Analysis of Variance (1959), 4.4.
  [[nodiscard]] std::optional<Spread> spread() const;

 private:
  std::size_t candidates_;
  std::size_t rounds_ = 0;
  std::vector<double> cells_;  // round-major; NaN is an empty cell
};

}  // namespace mstune
