// Who may talk to this agent: its own key, the list of authorized clients, and libzmq's questions.
//
// Made before the agent's socket. The list is read again when its files have changed. One that
// cannot be read for want of descriptors or memory, or by a failing disk, says nothing: the last
// good one stays. One that is there no more or that others could have written lets nobody in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

  // Reads the list again if it has changed and was not looked at just now.
  void look_again(TimePoint now);

  // Keys that were on the list and are not any more, since the last call, and clients that have
  // none left.
  struct TakenOff {
    std::vector<std::string> keys;
    std::vector<std::string> clients;
  };
  TakenOff take_taken_off() { return std::exchange(taken_off_, {}); }

  [[nodiscard]] os::ListenSecurity security() const { return {pair_.secret_key}; }
  [[nodiscard]] const KeyPair& pair() const { return pair_; }
  [[nodiscard]] std::size_t clients() const { return list_.names.size(); }

 private:
  void read_again(TimePoint now);
  void replace_list(AuthorizedList list);
  std::optional<std::string> judge(const os::Caller& caller, TimePoint now);

  GateOptions options_;
  KeyPair pair_;
  AuthorizedList list_;
  std::string signature_;
  TimePoint look_at_ = TimePoint::min();
  TimePoint log_at_ = TimePoint::min();  // when it may be said again that it cannot be read
  TakenOff taken_off_;
  RefusalLog refusals_;
  os::ZapHandler handler_;
};

}  // namespace mstune::agent
