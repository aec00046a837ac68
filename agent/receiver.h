// Files on the agent: the store, the worker that works on it, and the machine that receives.
//
// The server hands messages and the time in and sends what comes back. Everything that reads or
// writes whole files runs on the worker; its results come back through drain().
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/campaign_files.h"
#include "agent/download.h"
#include "agent/store.h"
#include "common/os/worker.h"
#include "protocol/codec.h"

namespace mstune::agent {

class Receiver {
 public:
  // Opens the store. Throws an Error.
  Receiver(const std::filesystem::path& directory, const StoreOptions& options);

  // True when the request was one about files.
  bool handle(SessionId session, const protocol::Request& request, std::string payload,
              TimePoint now);
  void end_session(SessionId session, TimePoint now);
  // Whose programs run on this machine now; 0: that of a session that has left.
  void measure(std::vector<SessionId> sessions, TimePoint now);
  void tick(TimePoint now);
  [[nodiscard]] TimePoint deadline() const { return machine_.deadline(); }

  // Poll this; then drain().
  [[nodiscard]] int descriptor() const { return worker_.descriptor(); }
  void drain(TimePoint now);

  // Keeps a trial's files from being dropped until unpin(). Throws a protocol error for an identity
  // that is none.
  void pin(const std::vector<protocol::FileReference>& files);
  void unpin(const std::vector<protocol::FileReference>& files);

  // Keeps files from being dropped until let_go().
  void hold(const Digest& identity);
  void let_go(const FilesLeft& files);

  // What the store holds, and dropping what nobody needs; the answer comes on this thread, later.
  void inspect(std::function<void(const StoreUsage&)> done);
  void purge(std::function<void(std::uint64_t freed_bytes, const StoreUsage&)> done);

  // Puts pinned files into a trial's directory; `done` gets why that failed, or nothing.
  using Done = std::function<void(const std::optional<Message>& failure)>;
  void lay_out(const std::filesystem::path& directory,
               const std::vector<protocol::FileReference>& files, const Done& done);

  // What is to be sent, to whom, in order.
  std::vector<std::pair<SessionId, protocol::Report>> take_reports();

 private:
  void carry_out(std::vector<download::Action> actions, std::string payload);
  void submit_quietly(std::function<void(Store&)> work);
  void submit(const download::StoreJob& job, std::string payload);

  std::unique_ptr<Store> store_;  // touched on the worker only
  download::Machine machine_;
  std::vector<SessionId> measuring_;
  std::vector<download::Event> results_;  // of store jobs, waiting for drain()
  std::vector<std::pair<SessionId, protocol::Report>> reports_;
  os::Worker worker_;  // after what its jobs use: it ends first
};

}  // namespace mstune::agent
