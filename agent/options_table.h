// The table of mstune-agent's options, and what they fill. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/cli/option.h"
#include "common/time.h"

namespace mstune::agent {

// As it stands on the command line, before paths are found and files read.
struct GivenOptions {
  std::string listen;
  std::string work_dir;  // this and the other paths: empty where the default is meant
  std::string key;
  std::string authorized;
  std::string config;
  bool insecure = false;
  std::string devices;  // "auto", or as parse_devices() reads it
  Duration busy_wait{};
  std::uint64_t context_memory_mb = 0;
  Duration reconnect_grace{};
  std::uint64_t output_limit_bytes = 0;
  std::uint64_t store_limit_bytes = 0;
  bool ends_with_parent = false;
  bool make_key = false;
  bool probe = false;
};

cli::Command options_table();

}  // namespace mstune::agent
