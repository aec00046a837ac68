// The target file: where an agent is and what to run there.
//
// Its field names are the sample's where they still mean something; fields of ssh days are met with
// a sentence that says what replaces them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/key.h"
#include "common/message.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

// A file of this machine that goes along.
struct TargetFile {
  std::string path;  // relative ones are below the target file's directory
  std::string name;  // where it is put, below the trial's om/
};

struct Target {
  std::string host;
  std::uint16_t port = protocol::kDefaultPort;
  std::optional<Key> server_key;  // the agent's public key; nothing: `insecure` must be said
  std::string identity_file;      // own secret key, as written; empty: the default
  bool insecure = false;          // the agent was started with --insecure
  std::string run_command;        // as written; empty: --run-command is used
  bool shell = false;             // run_command is for a shell
  std::string cann_env;           // a set_env.sh on the agent's machine; empty: none
  std::map<std::string, std::string> env;
  std::string cwd;                // on the agent's machine; empty: the trial's directory
  std::string digest_pattern;     // as --digest-pattern; empty: that is used
  bool keep = true;               // false: the agent drops this campaign's files when it is over
  std::vector<TargetFile> files;  // that the program needs beside its OM
  std::size_t devices_per_trial = 1;
  std::vector<Message> notes;  // for the person, once
};

// Reads the text of a target file; `file` names it in errors. Throws a usage error that names the
// field and the file: not JSON, unknown field (but those that begin with "_"), wrong type,
// duplicate key, missing host, port 22, a key that is none, neither server_key nor insecure, a
// run_command that needs a shell and does not say so, a file name that leads elsewhere.
Target parse_target(std::string_view text, const std::string& file);

// Reads an inventory: {"defaults": {…}, "targets": [{"host": …}, …]}. Each target has the fields of
// a target file, over the defaults; of "env" each variable by itself. Errors as above.
std::vector<Target> parse_inventory(std::string_view text, const std::string& file);

// Either of them: an inventory is what has "targets".
std::vector<Target> parse_targets(std::string_view text, const std::string& file);

// Throws a usage error when two of them are the same agent.
void refuse_equal_targets(const std::vector<Target>& targets);

// "npu-a:18600": for people.
std::string title(const Target& target);

// Where the agent listens: "tcp://host:port".
std::string endpoint(const Target& target);

}  // namespace mstune::coordinator
