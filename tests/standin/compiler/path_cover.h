// Minimum path cover: the smallest set of chains that holds every node of a graph once.
#pragma once

#include <cstddef>
#include <vector>

namespace standin {

// `successors[i]`: the nodes that depend on node i directly; all are greater than i. A chain may
// skip nodes, so the number of chains is the width of the graph: its largest set of nodes of which
// none depends on another. Each chain is in ascending order. O(n·e) on the transitive closure.
std::vector<std::vector<std::size_t>> minimum_path_cover(
    const std::vector<std::vector<std::size_t>>& successors);

// Everything that depends on each node, directly or not.
std::vector<std::vector<bool>> transitive_closure(
    const std::vector<std::vector<std::size_t>>& successors);

}  // namespace standin
