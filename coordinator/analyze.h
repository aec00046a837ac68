// `mstune analyze`: evaluates what was measured before, without running anything.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "coordinator/saved_run.h"

namespace mstune::coordinator {

struct AnalyzeOptions {
  std::vector<std::string> inputs;  // one run directory, or NAME=PATH of plain logs
  GivenGates gates;                 // --drop-first, --min-steps, --main-graph
  std::string digest_pattern;       // empty: that of the campaign
  bool json = false;                // the summary document on `out` and nothing else
  bool write = false;               // summary.json, summary.csv and each steps.csv anew
};

// Returns the exit status: 0 some candidate has data, 1 none has. Bad arguments are thrown as
// usage errors, unreadable files as environment errors (both end with status 2). Notes go to
// `notes`, the table or document to `out`.
int analyze(const AnalyzeOptions& options, std::ostream& out, std::ostream& notes);

}  // namespace mstune::coordinator
