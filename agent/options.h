// The command line of mstune-agent.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/server.h"

namespace mstune::agent {

// What is to be printed instead of serving, and the exit status: --help, --version.
struct Printed {
  std::string text;
  int status = 0;
};

// --keygen and --probe, with all that errands.h asks for.
struct KeyWanted {
  std::filesystem::path key;
  std::filesystem::path authorized;
};
struct ProbeWanted {
  std::string endpoint;
  bool with_keys = true;
};

using Wanted = std::variant<ServerOptions, Printed, KeyWanted, ProbeWanted>;

// Throws a usage error for values that cannot be right; `environment` is the process's own.
// `arguments` are without the program's name.
Wanted parse_options(std::span<const std::string> arguments, const Environment& environment);

// "0-3,6" → 0 1 2 3 6. Throws a usage error.
std::vector<int> parse_devices(std::string_view text);

// What --listen may be. Throws a usage error for what is no address of ours.
void check_endpoint(std::string_view endpoint);

}  // namespace mstune::agent
