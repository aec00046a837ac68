// Why an agent cannot be reached, from what became of the attempts to connect: pure.
#pragma once

#include <optional>
#include <string>

#include "common/connect_event.h"
#include "common/message.h"

namespace mstune::coordinator {

class ConnectDiagnosis {
 public:
  // `client` is the name of our own key; empty without keys.
  ConnectDiagnosis(std::string endpoint, std::string client)
      : endpoint_(std::move(endpoint)), client_(std::move(client)) {}

  // Why it is of no use to go on, once that is certain.
  std::optional<Message> handle(ConnectEvent event);

 private:
  std::string endpoint_;
  std::string client_;
  int failed_handshakes_ = 0;  // one after the other
};

}  // namespace mstune::coordinator
