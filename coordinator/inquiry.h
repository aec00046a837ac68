// Asks one agent a few questions, outside of any campaign: for doctor, pass and the like.
//
// Waits; the campaign's own loop is session.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/time.h"
#include "coordinator/connection.h"
#include "coordinator/local_agent.h"
#include "coordinator/target.h"

namespace mstune::coordinator {

class Inquiry {
 public:
  // Connects and greets. Throws an environment error when it does not answer within `wait`, or
  // refuses.
  Inquiry(const Target& target, const std::vector<std::string>& environment, Duration wait);
  // The same for an agent that this process has started.
  Inquiry(const LocalAgent& agent, Duration wait);
  // Says goodbye.
  ~Inquiry();
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;

  [[nodiscard]] const protocol::Welcome& welcome() const { return welcome_; }

  // The first report of the kind that answers. Throws an environment error when none comes in time.
  protocol::Examined examine(const std::string& cann_env);
  protocol::PassManaged manage_pass(const protocol::ManagePass& request, std::string library);

 private:
  void greet();
  template <typename Answer>
  Answer ask(const protocol::Request& request, std::string payload);
  ConnectionEvent wait_for_event(TimePoint deadline);

  std::string name_;
  Duration wait_;
  os::Worker worker_;
  Connection connection_;
  std::optional<Message> unreachable_;
  std::vector<ConnectionEvent> events_;  // that came together and wait to be looked at
  protocol::Welcome welcome_;
};

}  // namespace mstune::coordinator
