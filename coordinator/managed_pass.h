// `tune --manage-pass`: the pass is in place for one run, here or on the agent's machine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/message.h"
#include "common/os/pass_folder.h"
#include "coordinator/target.h"

namespace mstune::coordinator {

class ManagedPass {
 public:
  struct Options {
    std::string library;           // empty: looked for
    std::optional<Target> target;  // where the graph is compiled; empty: here
    std::vector<std::string> environment;
  };
  using Note = std::function<void(const Message&)>;

  // Puts it there, and notes what a person should know of that. Throws an Error.
  ManagedPass(Options options, Note note);
  // Takes it away again, whatever ended the run. An agent does so by itself when nobody talks to it
  // any more.
  ~ManagedPass();
  ManagedPass(const ManagedPass&) = delete;
  ManagedPass& operator=(const ManagedPass&) = delete;

 private:
  void hold_here();
  void hold_there();
  void release_there();

  Options options_;
  Note note_;
  std::string name_;  // of the holder, for the agent
  std::unique_ptr<os::HeldPass> here_;
  bool there_ = false;
};

}  // namespace mstune::coordinator
