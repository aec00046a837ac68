#include "tests/standin/common/stream_plan.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/standin/common/ge_error.h"

namespace standin {

void insert_events(const GraphDef& graph, StreamPlan& plan) {
  plan.events.clear();
  // The latest node of stream `first` that stream `second` has already waited for.
  std::map<std::pair<int, int>, std::size_t> waited;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    const int stream = plan.stream_of[node];
    if (stream < 0) {
      continue;
    }
    std::map<int, std::size_t> latest;
    for (const std::size_t input : graph.nodes[node].inputs) {
      const int from = plan.stream_of[input];
      if (from >= 0 && from != stream) {
        latest[from] = std::max(latest[from], input);
      }
    }
    for (const auto& [from, sender] : latest) {
      const auto [known, fresh] = waited.emplace(std::pair{from, stream}, sender);
      if (fresh || known->second < sender) {
        known->second = sender;
        plan.events.emplace_back(sender, node);
      }
    }
  }
}

std::string write_plan(const GraphDef& graph, const StreamPlan& plan) {
  std::ostringstream text;
  text << "streams " << plan.streams << '\n';
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (plan.stream_of[node] >= 0) {
      text << "task " << node << ' ' << plan.stream_of[node] << '\n';
    }
  }
  for (const auto& [sender, receiver] : plan.events) {
    text << "event " << sender << ' ' << receiver << '\n';
  }
  return text.str();
}

StreamPlan parse_plan(const GraphDef& graph, const std::string& text) {
  StreamPlan plan;
  const std::size_t nodes = graph.nodes.size();
  plan.stream_of.assign(nodes, -1);
  std::istringstream words(text);
  std::string keyword;
  std::size_t first = 0;
  std::size_t second = 0;
  while (words >> keyword >> first) {
    if (keyword == "streams") {
      plan.streams = static_cast<int>(first);
      continue;
    }
    words >> second;
    const bool task = keyword == "task" && second < static_cast<std::size_t>(plan.streams);
    const bool event = keyword == "event" && second < nodes;
    if (!words || first >= nodes || !(task || event)) {
      throw GeError("EZ9999", "The task section of the model is damaged.");
    }
    if (task) {
      plan.stream_of[first] = static_cast<int>(second);
    } else {
      plan.events.emplace_back(first, second);
    }
  }
  return plan;
}

}  // namespace standin
