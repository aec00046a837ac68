// Small programs for the tests of processes: shell scripts, and the patience to wait for them.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "common/os/process.h"

namespace mstune::os {

inline constexpr auto kSoon = std::chrono::seconds(30);

inline SpawnRequest script(std::string text) {
  SpawnRequest request;
  request.command = {"/bin/sh", "-c", std::move(text)};
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

inline Exit wait_exit(Process& process) {
  REQUIRE(wait_readable(process.exit_descriptor(), kSoon));
  const auto exit = process.reap();
  REQUIRE(exit);
  return *exit;
}

// Reads the output until it holds `length` bytes at least or ends.
inline std::string read_output(const Process& process, std::size_t length = std::string::npos) {
  std::string output;
  std::array<char, 4096> buffer{};
  while (output.size() < length) {
    REQUIRE(wait_readable(process.output(), kSoon));
    const Chunk chunk = read_chunk(process.output(), buffer);
    output += chunk.bytes;
    if (chunk.ended) {
      break;
    }
  }
  return output;
}

// Reads the output up to the end of its first line.
inline std::string read_line(const Process& process) {
  std::string line;
  while (!line.ends_with('\n')) {
    const std::string next = read_output(process, 1);
    if (next.empty()) {
      break;
    }
    line += next;
  }
  return line;
}

}  // namespace mstune::os
