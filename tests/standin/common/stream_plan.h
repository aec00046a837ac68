// Which stream runs which node, and what has to wait for what.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/standin/common/graph_def.h"

namespace standin {

struct StreamPlan {
  int streams = 1;
  std::vector<int> stream_of;                               // one a node; -1: runs nowhere
  std::vector<std::pair<std::size_t, std::size_t>> events;  // sender, receiver: nodes
};

// Fills in the events: one for each edge that crosses streams, less those that order follows from
// anyway. Within a stream nodes run in the order of the graph.
void insert_events(const GraphDef& graph, StreamPlan& plan);

std::string write_plan(const GraphDef& graph, const StreamPlan& plan);

// Throws a GeError when the text does not fit the graph.
StreamPlan parse_plan(const GraphDef& graph, const std::string& text);

}  // namespace standin
