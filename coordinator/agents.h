// `mstune agents`: asks agents how they are, and to let go of what they store.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "common/time.h"

namespace mstune::coordinator {

struct AgentsOptions {
  std::vector<std::string> target_files;
  std::string inventory;                        // a file with a list of targets; empty: none
  bool json = false;                            // the document instead of the table
  bool purge = false;                           // stored files that nobody needs go
  Duration wait = std::chrono::seconds(5);      // for all answers
  bool watch = false;                           // ask again and again
  Duration interval = std::chrono::seconds(2);  // between two of these
};

// Asks all of them at once. Returns the exit status: 0 all answered, 1 some did not; of a watch
// 130, because only a signal ends it. Throws a usage error for a target file that cannot be right,
// an environment error without a usable key.
int agents(const AgentsOptions& options, const std::vector<std::string>& environment,
           std::ostream& out);

}  // namespace mstune::coordinator
