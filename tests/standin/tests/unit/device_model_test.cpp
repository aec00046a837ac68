#include "tests/standin/executor/device_model.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/standin/common/graph_text.h"
#include "tests/standin/executor/step_time.h"

using doctest::Approx;
using standin::DeviceSpec;
using standin::ExecutorKnobs;
using standin::GraphDef;
using standin::makespan_us;
using standin::StepConditions;
using standin::StreamPlan;

namespace {

constexpr DeviceSpec kFree{.cube_cores = 20, .vector_cores = 40, .launch_us = 0, .event_us = 0};

// Two vector nodes of 100 µs on the input, and one that adds them.
GraphDef two_and_sum(int blocks) {
  const std::string keys = " cost=100 blocks=" + std::to_string(blocks) + "\n";
  GraphDef graph =
      standin::parse_graph("graph g\ninput x float 8x8\nnode a Relu x" + keys + "node b Exp x" +
                           keys + "node c Add a b" + keys + "output c\n");
  standin::infer_shapes(graph);
  return graph;
}

StreamPlan on_streams(const GraphDef& graph, std::vector<int> streams) {
  StreamPlan plan;
  plan.streams = 2;
  plan.stream_of = std::move(streams);
  standin::insert_events(graph, plan);
  return plan;
}

}  // namespace

TEST_CASE("device: nodes of one stream follow each other") {
  const GraphDef graph = two_and_sum(1);
  CHECK(makespan_us(graph, on_streams(graph, {-1, 0, 0, 0}), kFree) == Approx(300));
}

TEST_CASE("device: two streams run side by side while there are cores") {
  const GraphDef small = two_and_sum(20);
  CHECK(makespan_us(small, on_streams(small, {-1, 0, 1, 0}), kFree) == Approx(200));
  const GraphDef large = two_and_sum(21);
  CHECK(makespan_us(large, on_streams(large, {-1, 0, 1, 0}), kFree) == Approx(300));
}

TEST_CASE("device: a wait costs an event, and every node its launch") {
  const GraphDef graph = two_and_sum(1);
  const StreamPlan plan = on_streams(graph, {-1, 0, 1, 0});
  CHECK(makespan_us(graph, plan, {20, 40, 0, 7}) == Approx(207));
  CHECK(makespan_us(graph, plan, {20, 40, 3, 0}) == Approx(206));
}

TEST_CASE("step time: without noise it is the makespan, and warm-up, drift and company multiply") {
  ExecutorKnobs knobs;
  knobs.deterministic = true;
  knobs.noise_step = 0;
  knobs.drift = 0.5;
  StepConditions conditions;
  CHECK(standin::step_time_us(1000, conditions, knobs) == Approx(3000));
  conditions.step = 1000;
  CHECK(standin::step_time_us(1000, conditions, knobs) == Approx(1500));
  conditions.processes = 2;
  CHECK(standin::step_time_us(1000, conditions, knobs) == Approx(3000));
}

TEST_CASE("step time: the same seed gives the same noise, another seed another") {
  ExecutorKnobs knobs;
  knobs.seed = 7;
  const StepConditions conditions{5, 1, 1};
  const double first = standin::step_time_us(1000, conditions, knobs);
  CHECK(standin::step_time_us(1000, conditions, knobs) == first);
  knobs.seed = 8;
  CHECK(standin::step_time_us(1000, conditions, knobs) != first);
}

TEST_CASE("step time: run-to-run noise is a factor of the process, absent when deterministic") {
  ExecutorKnobs knobs;
  knobs.seed = 3;
  CHECK(standin::run_factor(knobs) != 1);
  knobs.deterministic = true;
  CHECK(standin::run_factor(knobs) == 1);
}
