#include "coordinator/inference/confirm.h"

#include <cmath>

#include "coordinator/inference/distributions.h"

namespace mstune {

std::optional<Interval> confirmation(std::span<const AbbaRound> rounds, double confidence) {
  if (rounds.size() < 2) {
    return std::nullopt;
  }
  const auto gain = [](const AbbaRound& round) {
    return 0.5 * (round.default_first + round.default_second) -
           0.5 * (round.winner_first + round.winner_second);
  };
  const auto count = static_cast<double>(rounds.size());
  double mean = 0.0;
  for (const AbbaRound& round : rounds) {
    mean += gain(round) / count;
  }
  double squares = 0.0;
  for (const AbbaRound& round : rounds) {
    squares += (gain(round) - mean) * (gain(round) - mean);
  }
  const double deviation = std::sqrt(squares / (count - 1.0) / count);
  const double half = student_upper_point((1.0 - confidence) / 2.0, count - 1.0) * deviation;
  return Interval{mean - half, mean, mean + half};
}

}  // namespace mstune
