// What agents answered when they were asked how they are, as a table or a JSON document. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/codec.h"

namespace mstune::coordinator {

struct AgentAnswer {
  std::string agent;               // as it was named: "tcp://npu-1:18600"
  std::optional<Message> failure;  // why there is no answer; else welcome and condition are set
  std::optional<protocol::Welcome> welcome;
  std::optional<protocol::Condition> condition;
  std::optional<protocol::Purged> purged;  // when that was asked for
  std::optional<double> round_trip_ms;     // the shortest of several
};

// One line an agent below a heading, then one a device, and what was purged. Lines with their '\n'.
std::string agents_table(const std::vector<AgentAnswer>& answers);

// {"agents": [...]}; of one that did not answer only agent, reachable and why.
std::string agents_json(const std::vector<AgentAnswer>& answers);

}  // namespace mstune::coordinator
