// Which of a finished trial's files come back to the run directory. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "common/message.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

enum class PlogChoice { none, failed, all };

// A file, or its end.
struct WantedFile {
  std::uint32_t number = 0;  // its place in the agent's list
  std::string path;          // below the trial's directory
  std::uint64_t begin = 0;   // the first byte that is wanted
  std::uint64_t size = 0;    // of the whole file
};

struct WantedFiles {
  std::vector<WantedFile> files;
  std::uint64_t left_out_bytes = 0;
};

// What is not below plog/ always comes. Plog files come newest first until `limit_bytes` are
// reached; of the one that does not fit the end comes, under its name and ".end". Their STEP lines
// are in steps.log whatever is left out.
WantedFiles choose_files(const std::vector<protocol::TrialFile>& files, PlogChoice choice,
                         bool failed, std::uint64_t limit_bytes);

}  // namespace mstune::coordinator
