#include "coordinator/plan.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "coordinator/candidate_list.h"

namespace mstune::coordinator {
namespace {

void add(std::vector<Candidate>& candidates, const Candidate& candidate) {
  if (std::find(candidates.begin(), candidates.end(), candidate) == candidates.end()) {
    candidates.push_back(candidate);
  }
}

}  // namespace

std::vector<Candidate> candidates_of_matrix(std::string_view strategies, std::string_view streams) {
  std::vector<Candidate> candidates{kDefaultCandidate};
  std::vector<std::string> counts;
  for (const std::string& item : list_items(streams)) {
    for (std::string& count : stream_counts(item)) {
      // Checked on its own, so that a bad count is reported though only `cv` is asked for.
      static_cast<void>(parse_candidate("LoadBalance:" + count));
      counts.push_back(std::move(count));
    }
  }
  for (const std::string& text : list_items(strategies)) {
    const Strategy strategy = parse_strategy(text);
    if (!takes_streams(strategy)) {
      add(candidates, {strategy, 0});
      continue;
    }
    for (const std::string& count : counts) {
      add(candidates, parse_candidate(fmt::format("{}:{}", text, count)));
    }
  }
  return candidates;
}

std::vector<Candidate> candidates_of_list(std::string_view configs) {
  std::vector<Candidate> candidates{kDefaultCandidate};
  for (const std::string& text : list_items(configs)) {
    add(candidates, parse_candidate(text));
  }
  return candidates;
}

std::string_view word(Purpose purpose) {
  switch (purpose) {
    case Purpose::control:
      return "control";
    case Purpose::confirm:
      return "confirm";
    case Purpose::measure:
      break;
  }
  return "measure";
}

std::vector<Trial> trials_of_round(const RoundPlan& plan, const Order& order,
                                   std::uint32_t first_index) {
  std::vector<Trial> listed;
  for (const Candidate& candidate : plan.participants) {
    listed.push_back({0, candidate, plan.round, Purpose::measure, plan.stage});
  }
  if (plan.control) {
    listed.push_back({0, kDefaultCandidate, plan.round, Purpose::control, plan.stage});
  }
  std::vector<std::size_t> slots(listed.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::vector<Trial> trials;
  for (const std::size_t slot :
       round_order(order, static_cast<std::size_t>(plan.round - 1), slots)) {
    trials.push_back(listed[slot]);
    trials.back().index = first_index++;
  }
  return trials;
}

std::vector<Trial> confirming_trials(const ConfirmingPlan& plan, const Order& order,
                                     std::uint32_t first_index) {
  std::vector<Trial> trials;
  for (int round = plan.first_round; round < plan.first_round + plan.rounds; ++round) {
    for (const std::size_t who : abba_order(order, static_cast<std::size_t>(round - 1), 0, 1)) {
      trials.push_back(
          {first_index++, who == 0 ? kDefaultCandidate : plan.winner, round, Purpose::confirm});
    }
  }
  return trials;
}

std::vector<Trial> trials_in_rounds(const std::vector<Candidate>& candidates, int repeat,
                                    const Order& order) {
  std::vector<Trial> trials;
  for (int round = 1; round <= repeat; ++round) {
    const auto more =
        trials_of_round({candidates, round}, order, static_cast<std::uint32_t>(trials.size()));
    trials.insert(trials.end(), more.begin(), more.end());
  }
  return trials;
}

std::size_t place_of(const std::vector<Candidate>& candidates, const Candidate& candidate) {
  return static_cast<std::size_t>(std::find(candidates.begin(), candidates.end(), candidate) -
                                  candidates.begin());
}

bool is_same_trial(const Trial& left, const Trial& right) {
  return left.index == right.index && left.candidate == right.candidate &&
         left.repeat == right.repeat && left.purpose == right.purpose && left.stage == right.stage;
}

std::string name_without_device(const Trial& trial) {
  const std::string purpose =
      trial.purpose == Purpose::measure ? "" : fmt::format("_{}", word(trial.purpose));
  return fmt::format("trial_{:03}_{}{}_r{}", trial.index, file_name(trial.candidate), purpose,
                     trial.repeat);
}

std::string directory_name(const Trial& trial) {
  const std::string device = trial.device ? fmt::format("_d{}", *trial.device) : "";
  return name_without_device(trial) + device;
}

std::string title(const Trial& trial) {
  const std::string purpose =
      trial.purpose == Purpose::measure ? "" : fmt::format(" ({})", word(trial.purpose));
  const std::string device = trial.device ? fmt::format(" on device {}", *trial.device) : "";
  return fmt::format("{}{} round {}{}", name(trial.candidate), purpose, trial.repeat, device);
}

}  // namespace mstune::coordinator
