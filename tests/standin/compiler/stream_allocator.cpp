#include "tests/standin/compiler/stream_allocator.h"

#include <algorithm>

#include "tests/standin/compiler/merge_chains.h"
#include "tests/standin/compiler/path_cover.h"

namespace standin {
namespace {

bool runs(const Node& node) {
  return node.engine != Engine::none;
}

// The nodes for which `takes_part` holds, with their own numbering.
struct Selection {
  Dag dag;
  std::vector<std::size_t> nodes;  // number in the selection → node of the graph
};

template <typename Predicate>
Selection select(const GraphDef& graph, const Predicate& takes_part) {
  Selection selection;
  std::vector<std::size_t> number(graph.nodes.size(), 0);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (takes_part(graph.nodes[node])) {
      number[node] = selection.nodes.size();
      selection.nodes.push_back(node);
    }
  }
  selection.dag.successors.resize(selection.nodes.size());
  selection.dag.predecessors.resize(selection.nodes.size());
  selection.dag.weight.assign(selection.nodes.size(), 1);
  for (const std::size_t node : selection.nodes) {
    for (const std::size_t input : graph.nodes[node].inputs) {
      if (takes_part(graph.nodes[input])) {
        selection.dag.successors[number[input]].push_back(number[node]);
        selection.dag.predecessors[number[node]].push_back(number[input]);
      }
    }
  }
  fill_levels(selection.dag);
  return selection;
}

// One stream for the AI cores, one for each other engine that the graph uses.
StreamPlan by_engine(const GraphDef& graph) {
  StreamPlan plan;
  const bool aicpu = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                 [](const Node& node) { return node.engine == Engine::aicpu; });
  plan.streams = aicpu ? 2 : 1;
  for (const Node& node : graph.nodes) {
    const int stream = node.engine == Engine::aicpu ? 1 : 0;
    plan.stream_of.push_back(runs(node) ? stream : -1);
  }
  return plan;
}

StreamPlan on_one_stream(const GraphDef& graph) {
  StreamPlan plan;
  for (const Node& node : graph.nodes) {
    plan.stream_of.push_back(runs(node) ? 0 : -1);
  }
  return plan;
}

// Vector nodes that have no path to or from a cube node of a neighbouring level get a stream of
// their own.
void split_cube_and_vector(const GraphDef& graph, StreamPlan& plan) {
  const Selection selection = select(graph, runs);
  const auto reach = transitive_closure(selection.dag.successors);
  bool split = false;
  for (std::size_t vector = 0; vector < selection.nodes.size(); ++vector) {
    if (graph.nodes[selection.nodes[vector]].engine != Engine::vector) {
      continue;
    }
    for (std::size_t cube = 0; cube < selection.nodes.size(); ++cube) {
      const int distance = selection.dag.level[cube] - selection.dag.level[vector];
      if (graph.nodes[selection.nodes[cube]].engine == Engine::cube && std::abs(distance) <= 1 &&
          !reach[vector][cube] && !reach[cube][vector]) {
        plan.stream_of[selection.nodes[vector]] = plan.streams;
        split = true;
        break;
      }
    }
  }
  plan.streams += split ? 1 : 0;
}

// GE's "MiniDAGStreamPass".
StreamPlan by_dag(const GraphDef& graph, const AllocationRequest& request) {
  Selection selection =
      select(graph, [](const Node& node) { return runs(node) && node.stream_label.empty(); });
  Strategy strategy = request.mode.strategy;
  double sum = 0;
  int matched = 0;
  for (const std::size_t node : selection.nodes) {
    const auto known = request.durations_us.find(graph.nodes[node].name);
    if (known != request.durations_us.end()) {
      sum += known->second;
      ++matched;
    }
  }
  if (matched > 0) {
    strategy = Strategy::weighted_load_balance;
    for (std::size_t i = 0; i < selection.nodes.size(); ++i) {
      const auto known = request.durations_us.find(graph.nodes[selection.nodes[i]].name);
      if (known != request.durations_us.end() && sum > 0) {
        selection.dag.weight[i] = known->second * matched / sum;
      }
    }
  }
  const std::vector<int> streams = merge_chains(
      selection.dag, minimum_path_cover(selection.dag.successors), strategy, request.mode.streams);
  StreamPlan plan;
  plan.stream_of.assign(graph.nodes.size(), -1);
  plan.streams = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    plan.stream_of[selection.nodes[i]] = streams[i];
    plan.streams = std::max(plan.streams, streams[i] + 1);
  }
  return plan;
}

// Labels are kept: one extra stream each, beyond the N of the mode.
void place_labels(const GraphDef& graph, StreamPlan& plan) {
  std::map<std::string, int> labels;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    const std::string& label = graph.nodes[node].stream_label;
    if (runs(graph.nodes[node]) && !label.empty()) {
      const auto [entry, fresh] = labels.emplace(label, plan.streams);
      plan.streams += fresh ? 1 : 0;
      plan.stream_of[node] = entry->second;
    }
  }
  plan.streams = std::max(plan.streams, 1);
}

}  // namespace

StreamPlan allocate_streams(const GraphDef& graph, const AllocationRequest& request) {
  StreamPlan plan;
  if (request.single_stream || (request.unknown_shape && !request.multi_stream_for_unknown)) {
    plan = on_one_stream(graph);
  } else {
    switch (request.mode.strategy) {
      case Strategy::load_balance:
      case Strategy::main_stream:
      case Strategy::weighted_load_balance:
        plan = by_dag(graph, request);
        break;
      case Strategy::cv:
        plan = by_engine(graph);
        split_cube_and_vector(graph, plan);
        break;
      case Strategy::off:
      case Strategy::single_default:
        plan = request.unknown_shape ? on_one_stream(graph) : by_engine(graph);
        break;
    }
    place_labels(graph, plan);
  }
  insert_events(graph, plan);
  return plan;
}

}  // namespace standin
