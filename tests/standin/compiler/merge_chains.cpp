#include "tests/standin/compiler/merge_chains.h"

#include <algorithm>
#include <limits>
#include <map>

namespace standin {
namespace {

using Chain = std::vector<std::size_t>;

// The weights of the scores, and the levels over which load is compared.
constexpr double kCrossEdgeCost = 3;
constexpr double kLoadCost = 4;
constexpr double kConflictCost = 4;
constexpr double kNodeCost = 1;
constexpr double kNewStreamCost = 2;
constexpr double kSoloGain = 4;
constexpr int kWindow = 6;

class Merger {
 public:
  Merger(const Dag& dag, Strategy strategy, int streams)
      : dag_(dag),
        strategy_(strategy),
        streams_(streams),
        stream_of_(dag.level.size(), -1),
        nodes_on_level_(levels(), 0) {
    for (const int level : dag.level) {
      ++nodes_on_level_[index(level)];
    }
  }

  void place(const Chain& chain) {
    const int stream = choose(chain);
    if (stream == static_cast<int>(load_.size())) {
      load_.emplace_back(levels(), 0.0);
      total_.push_back(0);
    }
    for (const std::size_t node : chain) {
      stream_of_[node] = stream;
      load_[index(stream)][index(dag_.level[node])] += weight(node);
      total_[index(stream)] += weight(node);
    }
  }

  std::vector<int> result() { return std::move(stream_of_); }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  [[nodiscard]] std::size_t levels() const {
    return dag_.level.empty() ? 0
                              : index(*std::max_element(dag_.level.begin(), dag_.level.end())) + 1;
  }

  [[nodiscard]] double weight(std::size_t node) const {
    return strategy_ == Strategy::weighted_load_balance ? dag_.weight[node] : 1;
  }

  [[nodiscard]] bool solo(std::size_t node) const {
    return nodes_on_level_[index(dag_.level[node])] == 1;
  }

  [[nodiscard]] int choose(const Chain& chain) const {
    const int open = static_cast<int>(load_.size());
    const bool main = strategy_ == Strategy::main_stream;
    // A chain that begins alone on its level belongs to the main line.
    if (open == 0 || (main && solo(chain.front()))) {
      return 0;
    }
    int best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (int stream = 0; stream < std::min(open + 1, streams_); ++stream) {
      const double score = main ? main_stream_score(chain, stream) : balance_score(chain, stream);
      if (score < lowest) {
        lowest = score;
        best = stream;
      }
    }
    return best;
  }

  // Edges between the chain and what is placed already on other streams.
  [[nodiscard]] double cross_edges(const Chain& chain, int stream) const {
    double edges = 0;
    for (const std::size_t node : chain) {
      for (const auto* neighbours : {&dag_.predecessors[node], &dag_.successors[node]}) {
        edges += static_cast<double>(
            std::count_if(neighbours->begin(), neighbours->end(), [&](std::size_t other) {
              return stream_of_[other] >= 0 && stream_of_[other] != stream;
            }));
      }
    }
    return edges;
  }

  [[nodiscard]] bool is_new(int stream) const { return index(stream) == load_.size(); }

  [[nodiscard]] double balance_score(const Chain& chain, int stream) const {
    std::vector<double> load =
        is_new(stream) ? std::vector<double>(levels(), 0.0) : load_[index(stream)];
    double chain_weight = 0;
    for (const std::size_t node : chain) {
      load[index(dag_.level[node])] += weight(node);
      chain_weight += weight(node);
    }
    const double total = chain_weight + (is_new(stream) ? 0.0 : total_[index(stream)]);
    return kCrossEdgeCost * cross_edges(chain, stream) + kLoadCost * unevenness(load, chain) +
           kNodeCost * total + (is_new(stream) ? kNewStreamCost : 0);
  }

  // Peak plus variance of the load in the window of levels, over the levels of the chain.
  [[nodiscard]] double unevenness(const std::vector<double>& load, const Chain& chain) const {
    const int first = dag_.level[chain.front()];
    const int last = dag_.level[chain.back()];
    double peak = 0;
    double sum = 0;
    double squares = 0;
    int windows = 0;
    for (int begin = first; begin <= last; ++begin, ++windows) {
      double window = 0;
      const int end = std::min(begin + kWindow, static_cast<int>(load.size()));
      for (int at = begin; at < end; ++at) {
        window += load[index(at)];
      }
      peak = std::max(peak, window);
      sum += window;
      squares += window * window;
    }
    const double mean = sum / windows;
    return peak + squares / windows - mean * mean;
  }

  [[nodiscard]] double main_stream_score(const Chain& chain, int stream) const {
    double conflicts = 0;
    double alone = 0;
    for (const std::size_t node : chain) {
      conflicts += is_new(stream) ? 0 : load_[index(stream)][index(dag_.level[node])];
      alone += solo(node) ? 1 : 0;
    }
    return kCrossEdgeCost * cross_edges(chain, stream) + kConflictCost * conflicts +
           (is_new(stream) ? kNewStreamCost : 0) - (stream == 0 ? kSoloGain * alone : 0);
  }

  const Dag& dag_;
  Strategy strategy_;
  int streams_;
  std::vector<int> stream_of_;
  std::vector<int> nodes_on_level_;
  std::vector<std::vector<double>> load_;  // by stream and level
  std::vector<double> total_;              // by stream
};

// Edges that leave or enter the chain.
std::size_t interactions(const Dag& dag, const Chain& chain) {
  std::size_t edges = 0;
  for (const std::size_t node : chain) {
    for (const auto* neighbours : {&dag.predecessors[node], &dag.successors[node]}) {
      for (const std::size_t other : *neighbours) {
        if (std::find(chain.begin(), chain.end(), other) == chain.end()) {
          ++edges;
        }
      }
    }
  }
  return edges;
}

}  // namespace

void fill_levels(Dag& dag) {
  dag.level.assign(dag.successors.size(), 0);
  for (std::size_t node = 0; node < dag.successors.size(); ++node) {
    for (const std::size_t successor : dag.successors[node]) {
      dag.level[successor] = std::max(dag.level[successor], dag.level[node] + 1);
    }
  }
}

std::vector<int> merge_chains(const Dag& dag, const std::vector<Chain>& chains, Strategy strategy,
                              int streams) {
  std::vector<std::pair<std::size_t, const Chain*>> order;
  for (const Chain& chain : chains) {
    order.emplace_back(interactions(dag, chain), &chain);
  }
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    const int level_a = dag.level[a.second->front()];
    const int level_b = dag.level[b.second->front()];
    if (level_a != level_b) {
      return level_a < level_b;
    }
    if (a.second->size() != b.second->size()) {
      return a.second->size() > b.second->size();
    }
    return a.first > b.first;
  });
  Merger merger(dag, strategy, streams);
  for (const auto& [edges, chain] : order) {
    merger.place(*chain);
  }
  return merger.result();
}

}  // namespace standin
