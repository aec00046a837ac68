#include "tests/standin/executor/device_model.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace standin {
namespace {

class Simulation {
 public:
  Simulation(const GraphDef& graph, const StreamPlan& plan, const DeviceSpec& device)
      : graph_(graph),
        device_(device),
        queues_(static_cast<std::size_t>(plan.streams)),
        senders_(graph.nodes.size()),
        end_(graph.nodes.size(), kNever),
        free_cube_(device.cube_cores),
        free_vector_(device.vector_cores) {
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      if (plan.stream_of[node] >= 0) {
        queues_[static_cast<std::size_t>(plan.stream_of[node])].nodes.push_back(node);
      }
    }
    for (const auto& [sender, receiver] : plan.events) {
      senders_[receiver].push_back(sender);
    }
  }

  double run() {
    double now = 0;
    double last_end = 0;
    while (true) {
      const double next = advance(now);
      for (const Queue& queue : queues_) {
        last_end = std::max(last_end, queue.busy_until);
      }
      if (next == kNever) {
        return last_end;
      }
      now = next;
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Queue {
    std::vector<std::size_t> nodes;
    std::size_t next = 0;
    double busy_until = 0;
    bool running = false;
  };

  int* cores_of(const Node& node) {
    switch (node.engine) {
      case Engine::cube:
        return &free_cube_;
      case Engine::vector:
        return &free_vector_;
      case Engine::aicpu:
      case Engine::none:
        return nullptr;
    }
    return nullptr;
  }

  // Ends what is over at `now`, starts what can start, and returns when to look again.
  double advance(double now) {
    for (Queue& queue : queues_) {
      if (queue.running && queue.busy_until <= now) {
        const Node& node = graph_.nodes[queue.nodes[queue.next]];
        if (int* cores = cores_of(node)) {
          *cores += cost_of(graph_, node).blocks;
        }
        end_[queue.nodes[queue.next]] = queue.busy_until;
        queue.running = false;
        ++queue.next;
      }
    }
    double look_again = kNever;
    for (Queue& queue : queues_) {
      if (!queue.running && queue.next < queue.nodes.size()) {
        look_again = std::min(look_again, start(queue, now));
      }
      if (queue.running) {
        look_again = std::min(look_again, queue.busy_until);
      }
    }
    return look_again;
  }

  // When the head of the queue is ready but for cores; kNever while a sender has not ended.
  [[nodiscard]] double ready_at(const Queue& queue) const {
    double ready = queue.busy_until;
    const auto& senders = senders_[queue.nodes[queue.next]];
    for (const std::size_t sender : senders) {
      ready = std::max(ready, end_[sender]);
    }
    return ready + device_.launch_us + device_.event_us * static_cast<double>(senders.size());
  }

  // Starts the head when it can; else says when it may be tried again for a reason of its own.
  double start(Queue& queue, double now) {
    const double ready = ready_at(queue);
    if (ready > now) {
      return ready;
    }
    const Node& node = graph_.nodes[queue.nodes[queue.next]];
    const Cost cost = cost_of(graph_, node);
    if (int* cores = cores_of(node)) {
      if (*cores < cost.blocks) {
        return kNever;  // another node's end will come first
      }
      *cores -= cost.blocks;
    }
    queue.running = true;
    queue.busy_until = now + cost.us;
    return queue.busy_until;
  }

  const GraphDef& graph_;
  const DeviceSpec& device_;
  std::vector<Queue> queues_;
  std::vector<std::vector<std::size_t>> senders_;
  std::vector<double> end_;
  int free_cube_;
  int free_vector_;
};

}  // namespace

double makespan_us(const GraphDef& graph, const StreamPlan& plan, const DeviceSpec& device) {
  return Simulation(graph, plan, device).run();
}

}  // namespace standin
