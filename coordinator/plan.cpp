#include "coordinator/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.h"

namespace mstune::coordinator {
namespace {

// The parts between commas without the blanks around them.
std::vector<std::string> list_items(std::string_view text, std::string_view option) {
  std::vector<std::string> items;
  for (;;) {
    const auto comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    const auto first = item.find_first_not_of(" \t");
    const auto last = item.find_last_not_of(" \t");
    if (first == std::string_view::npos) {
      throw usage_error("plan.empty_item",
                        "{}: an entry of the list is empty; write it as in \"a,b,c\"", option);
    }
    items.emplace_back(item.substr(first, last - first + 1));
    if (comma == std::string_view::npos) {
      return items;
    }
    text.remove_prefix(comma + 1);
  }
}

void add(std::vector<Candidate>& candidates, const Candidate& candidate) {
  if (std::find(candidates.begin(), candidates.end(), candidate) == candidates.end()) {
    candidates.push_back(candidate);
  }
}

}  // namespace

std::vector<Candidate> candidates_of_matrix(std::string_view strategies, std::string_view streams) {
  std::vector<Candidate> candidates{kDefaultCandidate};
  const std::vector<std::string> counts = list_items(streams, "--streams");
  for (const std::string& count : counts) {
    // Checked on its own, so that a bad count is reported though only `cv` is asked for.
    static_cast<void>(parse_candidate("LoadBalance:" + count));
  }
  for (const std::string& text : list_items(strategies, "--strategies")) {
    const Strategy strategy = parse_strategy(text);
    if (!takes_streams(strategy)) {
      add(candidates, {strategy, 0});
      continue;
    }
    for (const std::string& count : counts) {
      add(candidates, parse_candidate(text + ":" + count));
    }
  }
  return candidates;
}

std::vector<Candidate> candidates_of_list(std::string_view configs) {
  std::vector<Candidate> candidates{kDefaultCandidate};
  for (const std::string& text : list_items(configs, "--configs")) {
    add(candidates, parse_candidate(text));
  }
  return candidates;
}

std::vector<Trial> trials_in_rounds(const std::vector<Candidate>& candidates, int repeat) {
  std::vector<Trial> trials;
  for (int round = 1; round <= repeat; ++round) {
    for (const Candidate& candidate : candidates) {
      trials.push_back({static_cast<std::uint32_t>(trials.size()), candidate, round});
    }
  }
  return trials;
}

std::string directory_name(const Trial& trial) {
  return fmt::format("trial_{:03}_{}_r{}", trial.index, file_name(trial.candidate), trial.repeat);
}

}  // namespace mstune::coordinator
