#include "coordinator/inference/sequential.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coordinator/inference/distributions.h"

namespace mstune {
namespace {

std::vector<double> look_tails(const SequentialRules& rules, SpendingRule spending, double alpha) {
  std::vector<double> fractions;
  for (std::size_t round = rules.first_look; round <= rules.max_rounds; ++round) {
    fractions.push_back(static_cast<double>(round) / static_cast<double>(rules.max_rounds));
  }
  std::vector<double> tails = spending_boundaries(spending, alpha, fractions);
  std::transform(tails.begin(), tails.end(), tails.begin(), normal_upper_tail);
  return tails;
}

Interval interval_around(const Comparison& comparison, double tail, CriticalPoints& points) {
  const double half = points.student(tail, comparison.degrees) * comparison.deviation;
  return {comparison.log_speedup - half, comparison.log_speedup, comparison.log_speedup + half};
}

}  // namespace

SequentialRules rules_of_stage(SequentialRules rules, std::size_t stage) {
  const auto number = static_cast<double>(stage);
  const double share = 1.0 / ((number + 1.0) * (number + 2.0));
  rules.interval_error *= share;
  rules.drop_error *= share;
  return rules;
}

Interval common_part(const std::optional<Interval>& before, const Interval& now) {
  if (!before) {
    return now;
  }
  const Interval common{std::max(before->low, now.low), now.point,
                        std::min(before->high, now.high)};
  return common.low <= common.high ? common : now;
}

Sequential::Sequential(std::size_t candidates, const SequentialRules& rules)
    : rules_(rules), progress_(candidates) {
  rules_.first_look = std::min(rules_.first_look, rules_.max_rounds);
  const std::size_t rivals = candidates - 1;
  const double point =
      dunnett_point(1.0 - rules.interval_error,
                    {.count = rivals, .degrees = std::numeric_limits<double>::infinity()});
  interval_tails_ = look_tails(rules_, rules.interval_rule, normal_upper_tail(point));
  drop_tails_ = look_tails(rules_, rules.drop_rule, rules.drop_error / static_cast<double>(rivals));
}

std::size_t Sequential::find_leader(const Layout& layout) const {
  std::size_t leader = kBaseline;
  double fastest = 0.0;
  for (std::size_t candidate = 1; candidate < progress_.size(); ++candidate) {
    const Difference difference = layout.difference(candidate, kBaseline);
    if (progress_[candidate].runs_on() && difference.rounds > 0 &&
        difference.log_speedup > fastest) {
      leader = candidate;
      fastest = difference.log_speedup;
    }
  }
  return leader;
}

void Sequential::update(const Yardstick& yardstick, std::size_t candidate) {
  const auto comparison = compare(yardstick.layout, yardstick.spread, candidate, kBaseline);
  if (!comparison) {
    return;
  }
  Progress& progress = progress_[candidate];
  progress.interval = common_part(
      progress.interval, interval_around(*comparison, yardstick.interval_tail, yardstick.points));
  const double threshold = std::log(rules_.threshold);
  if (progress.standing == Standing::open && progress.interval->low > threshold) {
    progress.standing = Standing::proven;
  } else if (progress.standing == Standing::open && progress.interval->high < threshold) {
    progress.standing = Standing::below_threshold;
  }
}

std::vector<Decision> Sequential::decide(const Yardstick& yardstick, std::size_t leader) {
  std::vector<Decision> decisions;
  tied_.clear();
  for (std::size_t candidate = 0; candidate < progress_.size(); ++candidate) {
    std::optional<Interval> lag;
    if (candidate != leader) {
      const auto lead = compare(yardstick.layout, yardstick.spread, leader, candidate);
      if (lead) {
        lag = interval_around(*lead, yardstick.drop_tail, yardstick.points);
      }
    }
    Progress& progress = progress_[candidate];
    if (candidate != kBaseline && progress.runs_on()) {
      Decision decision{candidate, progress, {}, lag};
      update(yardstick, candidate);
      progress.behind = lag && lag->low > 0.0;
      decision.after = progress;
      decisions.push_back(decision);
    }
    if (candidate == leader || (!progress.behind && lag && lag->low <= 0.0)) {
      tied_.push_back(candidate);
    }
  }
  return decisions;
}

Look Sequential::look(const Layout& layout, CriticalPoints& points) {
  Look look;
  look.rounds = layout.rounds();
  const auto spread = layout.spread();
  if (spread && look.rounds > rounds_seen_ && look.rounds >= rules_.first_look &&
      look.rounds <= rules_.max_rounds) {
    rounds_seen_ = look.rounds;
    const std::size_t index = look.rounds - rules_.first_look;
    look.leader = find_leader(layout);
    look.decisions =
        decide({layout, *spread, interval_tails_[index], drop_tails_[index], points}, look.leader);
  }
  const bool all_settled = std::all_of(progress_.begin() + 1, progress_.end(),
                                       [](const Progress& each) { return each.settled(); });
  if (!all_settled && look.rounds < rules_.max_rounds) {
    look.next_round.push_back(kBaseline);
    for (std::size_t candidate = 1; candidate < progress_.size(); ++candidate) {
      if (progress_[candidate].runs_on()) {
        look.next_round.push_back(candidate);
      }
    }
  }
  return look;
}

}  // namespace mstune
