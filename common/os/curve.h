// CURVE, ZeroMQ's encryption and authentication: keys for sockets, and who is let in.
//
// Without an open ZapHandler a socket that listens with ListenSecurity lets nobody in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/key.h"

namespace mstune::os {

struct ListenSecurity {
  Key secret_key{};
};

struct ConnectSecurity {
  Key server_key{};  // pinned: whoever else answers is not talked to
  KeyPair own;
};

// A new pair from the system's random numbers.
KeyPair make_key_pair(const std::string& name);

// Somebody whose key was proven and who wants in.
struct Caller {
  std::string address;
  Key key{};
};

// Answers the questions of this process's listening sockets. One at a time may be open. Make it
// before the sockets. Poll it beside them: nobody gets in while serve() is not called.
class ZapHandler {
 public:
  ZapHandler();
  ~ZapHandler();
  ZapHandler(const ZapHandler&) = delete;
  ZapHandler& operator=(const ZapHandler&) = delete;

  // What a caller that may come in is called, as Frames::user from then on; nothing for others.
  using Judge = std::function<std::optional<std::string>(const Caller& caller)>;
  void serve(const Judge& judge);

 private:
  friend class PollSet;
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace mstune::os
