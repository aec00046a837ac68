// Builds one OM with the user's compile command, as the user would run it by hand: their
// environment and working directory, the candidate in GE_AUTO_MULTISTREAM_PARALLEL_MODE.
//
// One object is one build. The session polls it; at its end, and at its deadline, everything that
// the command started is gone (atc is a wrapper, and its workers outlive it otherwise).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/candidate.h"
#include "common/os/process.h"
#include "common/os/process_tree.h"
#include "common/time.h"
#include "coordinator/build_artifact.h"

namespace mstune::coordinator {

struct BuildRequest {
  Candidate candidate;
  std::vector<std::string> command;      // with {om} and {om_prefix}
  std::vector<std::string> environment;  // "NAME=value", the caller's
  std::filesystem::path om_directory;    // absolute; exists
  Duration timeout = Duration::zero();   // zero: none
  bool own_directory = false;            // run in one of its own, since atc litters
  std::string session_id;                // of the campaign: its builds are known by it
};

// The command with the candidate's paths put in.
std::vector<std::string> build_command(const BuildRequest& request);

// Ends what the builds of a coordinator that was killed have left running, or they would write the
// same files as those that are begun now. Returns how many processes there were; waits for them.
std::size_t end_former_builds(const std::string& session_id);

class Build {
 public:
  // Starts it. Throws an Error when the command cannot be started.
  Build(BuildRequest request, TimePoint now);

  // The OM's path or why there is none, once: when it has ended and its processes are gone.
  std::optional<std::variant<std::filesystem::path, Message>> step(TimePoint now);
  void cancel();  // step() tells when it is over

  [[nodiscard]] int descriptor() const { return process_.exit_descriptor(); }
  [[nodiscard]] TimePoint deadline() const;

 private:
  [[nodiscard]] std::variant<std::filesystem::path, Message> result() const;
  [[nodiscard]] Message failure(const std::optional<os::Exit>& exit) const;
  void remove_litter() const;

  BuildRequest request_;
  std::filesystem::path log_;
  std::vector<ArtifactFile> before_;
  os::UniqueFd log_file_;
  os::TreeIdentity tree_;
  os::Process process_;
  std::optional<os::TreeEnder> ender_;
  TimePoint timeout_at_ = kNever;
  bool timed_out_ = false;
};

}  // namespace mstune::coordinator
