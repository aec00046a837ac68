#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "tests/standin/common/graph_text.h"
#include "tests/standin/common/op_table.h"
#include "tests/standin/compiler/path_cover.h"
#include "tests/standin/compiler/stream_allocator.h"

using standin::allocate_streams;
using standin::AllocationRequest;
using standin::GraphDef;
using standin::minimum_path_cover;
using standin::Strategy;
using standin::StreamPlan;

namespace {

GraphDef graph_of(const std::string& lines) {
  GraphDef graph = standin::parse_graph("graph g\ninput x float 64x64\n" + lines);
  standin::infer_shapes(graph);
  return graph;
}

// Four lines of three nodes and a node that joins them.
GraphDef four_lines() {
  std::string text;
  for (const char* line : {"a", "b", "c", "d"}) {
    const std::string name = line;
    text += "node " + name + "0 Relu x\nnode " + name + "1 Exp " + name + "0\nnode " + name +
            "2 Neg " + name + "1\n";
  }
  return graph_of(text + "node sum AddN a2 b2 c2 d2\noutput sum\n");
}

StreamPlan plan_for(const GraphDef& graph, Strategy strategy, int streams) {
  AllocationRequest request;
  request.mode = {strategy, streams};
  return allocate_streams(graph, request);
}

int stream_of(const GraphDef& graph, const StreamPlan& plan, const std::string& name) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const auto& node) { return node.name == name; });
  return plan.stream_of[static_cast<std::size_t>(found - graph.nodes.begin())];
}

}  // namespace

TEST_CASE("path cover: there are as many chains as the graph is wide") {
  CHECK(minimum_path_cover({}).empty());
  CHECK(minimum_path_cover({{1}, {2}, {}}).size() == 1);
  CHECK(minimum_path_cover({{1, 2}, {3}, {3}, {}}).size() == 2);
  CHECK(minimum_path_cover({{}, {}, {}}).size() == 3);
  // 0→2→3 and 1→2→4: a chain may skip node 2, so two chains do.
  CHECK(minimum_path_cover({{2}, {2}, {3, 4}, {}, {}}).size() == 2);
}

TEST_CASE("path cover: every node is in one chain, in the order of dependence") {
  std::set<std::size_t> seen;
  for (const auto& chain : minimum_path_cover({{1, 2}, {3}, {3}, {4, 5}, {}, {}})) {
    CHECK(std::is_sorted(chain.begin(), chain.end()));
    for (const std::size_t node : chain) {
      CHECK(seen.insert(node).second);
    }
  }
  CHECK(seen.size() == 6);
}

TEST_CASE("streams: a strategy uses at most N, and no more than the graph is wide") {
  const GraphDef graph = four_lines();
  for (const Strategy strategy :
       {Strategy::load_balance, Strategy::main_stream, Strategy::weighted_load_balance}) {
    CHECK(plan_for(graph, strategy, 1).streams == 1);
    CHECK(plan_for(graph, strategy, 2).streams == 2);
    CHECK(plan_for(graph, strategy, 64).streams == 4);
  }
}

TEST_CASE("streams: LoadBalance keeps a line together and spreads lines evenly") {
  const GraphDef graph = four_lines();
  const StreamPlan plan = plan_for(graph, Strategy::load_balance, 2);
  for (const char* line : {"a", "b", "c", "d"}) {
    CHECK(stream_of(graph, plan, std::string(line) + "0") ==
          stream_of(graph, plan, std::string(line) + "2"));
  }
  CHECK(std::count(plan.stream_of.begin(), plan.stream_of.end(), 0) <= 7);
}

TEST_CASE("streams: MainStream keeps the main line on stream 0, and what is short enough") {
  const GraphDef graph = graph_of(
      "node head Relu x\nnode l0 Exp head\nnode l1 Exp l0\nnode l2 Exp l1\n"
      "node r0 Neg head\nnode r1 Neg r0\nnode r2 Neg r1\nnode join Add l2 r2\noutput join\n");
  const StreamPlan plan = plan_for(graph, Strategy::main_stream, 4);
  CHECK(stream_of(graph, plan, "head") == 0);
  CHECK(stream_of(graph, plan, "join") == 0);
  CHECK(plan.streams == 2);
  // A branch of one node would cost more in events than it conflicts.
  const GraphDef fork = graph_of(
      "node head Relu x\nnode left Exp head\nnode right Neg head\nnode join Add left right\n"
      "output join\n");
  CHECK(plan_for(fork, Strategy::main_stream, 4).streams == 1);
}

TEST_CASE("streams: a label has a stream of its own, beyond N") {
  const GraphDef graph = graph_of(
      "node a Relu x\nnode b Exp x\nnode c Neg x label=mine\nnode d AddN a b c\noutput d\n");
  const StreamPlan plan = plan_for(graph, Strategy::load_balance, 2);
  CHECK(plan.streams == 3);
  CHECK(stream_of(graph, plan, "c") == 2);
}

TEST_CASE("streams: cv parts vector nodes from cube nodes that they have no path to") {
  const GraphDef graph = graph_of(
      "const w float 64x64 seed 1\nnode p MatMul x w\nnode v Relu x\nnode s Add p v\noutput s\n");
  const StreamPlan plan = plan_for(graph, Strategy::cv, 0);
  CHECK(plan.streams == 2);
  CHECK(stream_of(graph, plan, "p") != stream_of(graph, plan, "v"));
  CHECK(plan_for(four_lines(), Strategy::cv, 0).streams == 1);
}

TEST_CASE("streams: default parts engines only, and a single stream nothing") {
  const GraphDef graph = graph_of("node a Relu x\nnode u Unique a\nnode b Exp u\noutput b\n");
  CHECK(plan_for(graph, Strategy::single_default, 0).streams == 2);
  CHECK(plan_for(four_lines(), Strategy::single_default, 0).streams == 1);
  AllocationRequest single;
  single.single_stream = true;
  CHECK(allocate_streams(graph, single).streams == 1);
}

TEST_CASE("streams: a duration that matches a node makes every strategy the weighted one") {
  const GraphDef graph = four_lines();
  AllocationRequest request;
  request.mode = {Strategy::main_stream, 2};
  request.durations_us = {{"a0", 900}, {"b0", 10}, {"c0", 10}, {"d0", 10}};
  const StreamPlan profiled = allocate_streams(graph, request);
  request.mode.strategy = Strategy::weighted_load_balance;
  CHECK(profiled.stream_of == allocate_streams(graph, request).stream_of);
  request.durations_us = {{"unknown", 900}};
  CHECK(allocate_streams(graph, request).stream_of ==
        plan_for(graph, Strategy::weighted_load_balance, 2).stream_of);
}

TEST_CASE("events: an edge that crosses streams has one, unless an earlier wait implies it") {
  const GraphDef graph =
      graph_of("node a Relu x\nnode b Exp a\nnode c Neg b\nnode d Add c a\noutput d\n");
  StreamPlan plan;
  plan.streams = 2;
  plan.stream_of = {-1, 0, 0, 1, 1};
  standin::insert_events(graph, plan);
  // d needs a, but c on its stream has already waited for b, which runs behind a.
  REQUIRE(plan.events.size() == 1);
  CHECK(plan.events.front() == std::pair<std::size_t, std::size_t>{2, 3});
}
