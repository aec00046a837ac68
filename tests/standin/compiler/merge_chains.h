// Puts chains of nodes onto at most N streams, greedily, by the scores of GE's DAG strategies.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/standin/compiler/mode.h"

namespace standin {

// A graph of the nodes that take part: indices are its own.
struct Dag {
  std::vector<std::vector<std::size_t>> successors;
  std::vector<std::vector<std::size_t>> predecessors;
  std::vector<int> level;      // longest path from a source
  std::vector<double> weight;  // durations for WeightedLoadBalance; 1 where none are known
};

void fill_levels(Dag& dag);

// The stream of each node, contiguous from 0. `streams` is the most that may be used.
std::vector<int> merge_chains(const Dag& dag, const std::vector<std::vector<std::size_t>>& chains,
                              Strategy strategy, int streams);

}  // namespace standin
