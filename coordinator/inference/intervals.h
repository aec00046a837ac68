// Simultaneous intervals for the speedup of every candidate over `default`, fixed rounds.
//
// The multiplicity is corrected by Dunnett's distribution: all comparisons share the baseline, and
// Bonferroni, which ignores that, makes intervals 3 to 10 % wider for nothing (tests/bench measures
// both). For repeated looks see sequential.h.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coordinator/inference/critical_points.h"
#include "coordinator/inference/layout.h"

namespace mstune {

inline constexpr double kConfidence = 0.95;

// All three are natural logarithms of a speedup: 0 is "as fast as default".
struct Interval {
  double low = 0.0;
  double point = 0.0;
  double high = 0.0;
};

// A comparison of two candidates with the noise it was made in.
struct Comparison {
  double log_speedup = 0.0;
  double deviation = 0.0;  // standard error of log_speedup
  double degrees = 0.0;    // of that standard error, for Student's t
  std::size_t rounds = 0;
};

// How candidates with unequal spread are treated, fixed in advance: the variance of a comparison
// is always two thirds the spread common to all and one third what its own differences show:
//   v = (kCommonWeight * 2 * spread + squares / (rounds - 1)) / (kCommonWeight + 1),
// deviation = sqrt(v / rounds), with min((kCommonWeight + 1)(rounds - 1), spread.degrees) degrees.
// The common spread alone lets all intervals of a campaign with a baseline of twice the spread hold
// in 86 %, however long it runs, this mixture in 91 %; own differences alone are useless at three
// rounds (tests/bench).
// Source: moderated t, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004) 1, with a fixed weight.
inline constexpr double kCommonWeight = 2.0;

// Nothing when the two share no round.
std::optional<Comparison> compare(const Layout& layout, const Spread& spread, std::size_t candidate,
                                  std::size_t other);

// The smallest correlation of any two comparisons with `control`: rounds(i and j) /
// (2 sqrt(rounds(i) rounds(j))), 1/2 when nothing is missing. With the smallest one, the common
// point of all comparisons errs to the wide side (Slepian's inequality).
double smallest_correlation(const Layout& layout, std::size_t control);

// One interval per candidate that hold together with probability `confidence`:
// log_speedup +- dunnett_point * deviation. Nothing for the baseline, for a
// candidate that shares no round with it, and for all while the spread has no degree of freedom.
std::vector<std::optional<Interval>> simultaneous_intervals(const Layout& layout,
                                                            CriticalPoints& points,
                                                            double confidence = kConfidence);

// The candidates, `default` among them, that cannot be told from the best, in their order: nobody
// is faster than one of them by more than the noise. Holds the truly best candidate with at least
// probability `confidence`. Candidates without a run are left out; empty without a spread.
// Source: multiple comparisons with the best, J. C. Hsu, Annals of Statistics 9 (1981) 1026-1034.
std::vector<std::size_t> tied_with_best(const Layout& layout, CriticalPoints& points,
                                        double confidence = kConfidence);

}  // namespace mstune
