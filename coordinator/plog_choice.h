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
  std::uint64_t left_out_bytes = 0;       // of plog
  std::uint64_t output_beyond_bytes = 0;  // of what is not plog
  std::vector<std::string> unbelievable;  // names of files of which more is said than can be
};

// How much may come. An agent says sizes, and is not believed.
struct FileLimits {
  std::uint64_t plog_bytes = 0;
  std::uint64_t output_bytes = std::uint64_t{1} << 30U;  // of all that is not plog
};

// What is not below plog/ comes, from its beginning up to its limit. Plog files come newest first
// until theirs is reached; of the one that does not fit the end comes, under its name and ".end".
// Their STEP lines are in steps.log whatever is left out. A file of more than a TiB is left out.
WantedFiles choose_files(const std::vector<protocol::TrialFile>& files, PlogChoice choice,
                         bool failed, const FileLimits& limits);

}  // namespace mstune::coordinator
