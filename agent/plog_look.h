// What the log files of a trial tell besides their lines, once everything is written: whose they
// are, of which processes, and whether one ends in mid-line. Reads a few bytes of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "protocol/trial_events.h"

namespace mstune::agent {

// Bytes that are free for this user on the file system of `path`; nothing where that is not told.
std::optional<std::int64_t> free_bytes(const std::filesystem::path& path);

void add_plog_facts(const std::filesystem::path& plog, protocol::Facts& facts);

}  // namespace mstune::agent
