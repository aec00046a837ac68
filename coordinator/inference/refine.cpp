#include "coordinator/inference/refine.h"

#include <algorithm>

namespace mstune {
namespace {

void add_neighbours(const Candidate& centre, std::span<const Candidate> tried,
                    std::vector<Candidate>& found) {
  if (!takes_streams(centre.strategy)) {
    return;
  }
  for (const int streams : {centre.streams - 1, centre.streams + 1}) {
    const Candidate neighbour{centre.strategy, streams};
    const bool known = std::find(tried.begin(), tried.end(), neighbour) != tried.end();
    if (streams >= kStreamsMin && streams <= kStreamsMax && !known) {
      found.push_back(neighbour);
    }
  }
}

}  // namespace

std::vector<Candidate> refinement(std::span<const Candidate> ranked,
                                  std::span<const Candidate> tried) {
  std::vector<Candidate> found;
  if (ranked.empty() || ranked.front() == kDefaultCandidate) {
    return found;
  }
  const Candidate& winner = ranked.front();
  add_neighbours(winner, tried, found);
  const auto runner_up =
      std::find_if(ranked.begin(), ranked.end(), [&](const Candidate& candidate) {
        return candidate.strategy != winner.strategy && takes_streams(candidate.strategy);
      });
  if (runner_up != ranked.end()) {
    add_neighbours(*runner_up, tried, found);
  }
  return found;
}

std::optional<std::size_t> better_neighbour(const Layout& layout, CriticalPoints& points,
                                            std::size_t centre,
                                            std::span<const std::size_t> neighbours) {
  std::optional<std::size_t> best;
  const auto spread = layout.spread();
  if (!spread) {
    return best;
  }
  double best_gain = 0.0;
  for (const std::size_t neighbour : neighbours) {
    const auto gain = compare(layout, *spread, neighbour, centre);
    if (!gain) {
      continue;
    }
    const double point = points.dunnett(
        kConfidence, {.count = neighbours.size(), .degrees = gain->degrees, .sides = Sides::one});
    if (gain->log_speedup > point * gain->deviation && gain->log_speedup > best_gain) {
      best = neighbour;
      best_gain = gain->log_speedup;
    }
  }
  return best;
}

}  // namespace mstune
