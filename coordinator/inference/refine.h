// --refine: which stream counts to try next around the best ones, and when to stop.
//
// The stages share one layout: a refining round holds `default`, the centre and its neighbours, so
// that the multiplicity counts everything that was ever tried.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/candidate.h"
#include "coordinator/inference/intervals.h"

namespace mstune {

// The neighbours (one stream fewer, one more, within 1..64) of the winner and of the best candidate
// of another strategy, those in `tried` left out. `ranked` goes from the fastest to the slowest;
// nothing is refined when `default` leads it. Strategies without a stream count have no neighbours.
std::vector<Candidate> refinement(std::span<const Candidate> ranked,
                                  std::span<const Candidate> tried);

// The fastest of `neighbours` that is faster than `centre` by more than the noise, one-sided
// Dunnett bound at 95 % over the neighbours. Nothing: refining stops.
std::optional<std::size_t> better_neighbour(const Layout& layout, CriticalPoints& points,
                                            std::size_t centre,
                                            std::span<const std::size_t> neighbours);

}  // namespace mstune
