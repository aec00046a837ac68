// --until-proven: looks at the growing evidence after each round and decides who runs on.
//
// The error rate holds over all looks together: 5 % is divided over the candidates by Dunnett's
// point (its tail for a known spread is each comparison's share) and each share over the looks by
// alpha spending, O'Brien-Fleming type (spending.h). The boundary of a look is carried into
// Student's t by its tail: C. Jennison, B. W. Turnbull, Group Sequential Methods (2000), 3.8.
// Dropping behind the leader has a budget of its own, divided by Bonferroni and spent as t^2.
// Pure: rounds in, decisions with their reasons out. After a resume the looks are repeated.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coordinator/inference/intervals.h"
#include "coordinator/inference/layout.h"
#include "coordinator/inference/spending.h"

namespace mstune {

struct SequentialRules {
  std::size_t first_look =
      3;  // rounds before the first look, at least 2; max_rounds if that is less
  std::size_t max_rounds = 20;  // --max-repeat, at least 2
  double threshold = 1.05;      // the speedup that has to be proven
  double interval_error = 0.05;
  double drop_error = 0.05;
  SpendingRule interval_rule = SpendingRule::obrien_fleming;
  SpendingRule drop_rule = SpendingRule::quadratic;
};

// Their share for one of a row of campaigns whose number is not known before (--refine): stage n,
// from 0, may spend 1 / ((n + 1) (n + 2)) of both errors, which makes 1 for all of them together.
SequentialRules rules_of_stage(SequentialRules rules, std::size_t stage);

// Intervals that all hold together hold what they have in common. When they contradict each other
// one of them is wrong, and the latest knows most. The point is the latest's.
Interval common_part(const std::optional<Interval>& before, const Interval& now);

enum class Standing { open, proven, below_threshold };  // where its interval lies

struct Progress {
  Standing standing = Standing::open;
  bool behind = false;               // clearly slower than the leader of some look
  std::optional<Interval> interval;  // common part of the intervals of all looks so far

  [[nodiscard]] bool settled() const { return behind || standing != Standing::open; }
  // A proven candidate runs on while others are open: they are compared with it.
  [[nodiscard]] bool runs_on() const { return !behind && standing != Standing::below_threshold; }
};

// What a look says about one candidate that was running, and the figures that made it say so.
struct Decision {
  std::size_t candidate = 0;
  Progress before;
  Progress after;
  std::optional<Interval> lag;  // the leader's speedup over it; low > 0 means behind
};

struct Look {
  std::size_t rounds = 0;
  std::size_t leader = kBaseline;       // fastest of those running, `default` among them
  std::vector<Decision> decisions;      // never the baseline
  std::vector<std::size_t> next_round;  // who runs next, the baseline first; empty: finished
};

class Sequential {
 public:
  // `candidates` counts the baseline: at least 2.
  Sequential(std::size_t candidates, const SequentialRules& rules);

  // To be called after each complete round. Before the first look, and when the layout has no more
  // rounds than at the last one, nothing is decided.
  Look look(const Layout& layout, CriticalPoints& points);

  // By candidate; the baseline's stays as it began.
  [[nodiscard]] const std::vector<Progress>& progress() const { return progress_; }

  // Those that cannot be told from the leader by the rules of the last look, the leader among
  // them, `default` too where it belongs. Empty before the first look.
  [[nodiscard]] const std::vector<std::size_t>& tied_with_best() const { return tied_; }

 private:
  // What a look judges by.
  struct Yardstick {
    const Layout& layout;
    Spread spread;
    double interval_tail = 0.0;
    double drop_tail = 0.0;
    CriticalPoints& points;
  };

  [[nodiscard]] std::size_t find_leader(const Layout& layout) const;
  void update(const Yardstick& yardstick, std::size_t candidate);
  std::vector<Decision> decide(const Yardstick& yardstick, std::size_t leader);

  SequentialRules rules_;
  std::vector<double> interval_tails_;  // by look: P of one comparison beyond one end
  std::vector<double> drop_tails_;
  std::vector<Progress> progress_;
  std::vector<std::size_t> tied_;
  std::size_t rounds_seen_ = 0;
};

}  // namespace mstune
