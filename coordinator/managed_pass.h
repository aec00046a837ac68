// `tune --manage-pass`: the pass is in place for one run, here or on the agent's machine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/message.h"
#include "common/os/pass_folder.h"
#include "common/time.h"
#include "coordinator/target.h"
#include "protocol/box_messages.h"

namespace mstune::coordinator {

class ManagedPass {
 public:
  struct Options {
    std::string owner;    // names the run for people, and for the agent: after a resume, too
    std::string library;  // empty: looked for
    std::optional<Target> target;  // where the graph is compiled; empty: here
    std::vector<std::string> environment;
    Duration connect_timeout = std::chrono::seconds(15);  // of its agent
  };
  using Note = std::function<void(const Message&)>;

  // Puts it there, and notes what a person should know of that. Throws an Error.
  ManagedPass(Options options, Note note);
  // Takes it away again, whatever ended the run, unless release() has. An agent does so by itself
  // when nobody talks to it any more.
  ~ManagedPass();
  ManagedPass(const ManagedPass&) = delete;
  ManagedPass& operator=(const ManagedPass&) = delete;

  // Once. Nothing when it is known to be away again, or was there before; else what a person has to
  // do.
  [[nodiscard]] std::optional<Message> release();
  // What its agent is to be asked for while the run goes on; nothing where none holds it.
  [[nodiscard]] std::optional<protocol::ManagePass> renewal() const;

 private:
  void hold_here();
  void hold_there();
  [[nodiscard]] std::optional<Message> release_there();

  Options options_;
  Note note_;
  std::unique_ptr<os::HeldPass> here_;
  std::string there_;  // where an agent holds it; empty: nowhere
};

}  // namespace mstune::coordinator
