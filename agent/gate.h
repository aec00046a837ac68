// Who may talk to this agent: its own key, the list of authorized clients, and libzmq's questions.
//
// Made before the agent's socket. The list is read again when its files have changed; while it
// cannot be read, nobody is let in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "agent/refusal_log.h"
#include "common/key.h"
#include "common/os/curve.h"
#include "common/time.h"

namespace mstune::agent {

struct GateOptions {
  std::filesystem::path key;         // the agent's secret key
  std::filesystem::path authorized;  // a file, or a directory of .pub files
};

class Gate {
 public:
  // Throws an Error when the key or the list cannot be read.
  explicit Gate(GateOptions options);

  // Poll it; then serve(). Logs to stderr whom it refused.
  [[nodiscard]] const os::ZapHandler& handler() const { return handler_; }
  void serve(TimePoint now);

  // The name of the client whose message this is (os::Frames::user); nothing once its key is not
  // on the list any more.
  std::optional<std::string> client_of(const std::string& user, TimePoint now);

  [[nodiscard]] os::ListenSecurity security() const { return {pair_.secret_key}; }
  [[nodiscard]] const KeyPair& pair() const { return pair_; }
  [[nodiscard]] std::size_t clients() const { return list_.names.size(); }

 private:
  void look_again(TimePoint now);
  std::optional<std::string> judge(const os::Caller& caller, TimePoint now);

  GateOptions options_;
  KeyPair pair_;
  AuthorizedList list_;
  std::string signature_;
  TimePoint look_at_ = TimePoint::min();
  RefusalLog refusals_;
  os::ZapHandler handler_;
};

}  // namespace mstune::agent
