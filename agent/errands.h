// What mstune-agent can do besides serving: make this agent's key, and ask whether one serves.
#pragma once

#include <filesystem>
#include <string>

namespace mstune::agent {

// Makes the key pair of this machine, under its host's name, and returns what a person should know
// of it. Throws as os::write_key_pair does, so never writes over a key.
std::string make_key(const std::filesystem::path& key, const std::filesystem::path& authorized);

// Returns when an agent listens at `endpoint` (as --listen has it; the unspecified address means
// this machine) and greets, with keys or without. Waits some seconds at most; throws an environment
// error that says what is there instead.
void probe(const std::string& endpoint, bool with_keys);

}  // namespace mstune::agent
