// `mstune confirm`: the winner of a run that was measured before against `default`, in fresh
// rounds.
//
// The speedup of a winner is biased upwards, because luck helped to choose it. Its fresh trials go
// into the same run directory, beside the others, which keep their figures.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/tune_options.h"

namespace mstune::coordinator {

struct ConfirmOptions {
  std::string run_directory;
  int rounds = kConfirmRounds;
  std::vector<std::string> target_files;  // empty: those of the run
  std::optional<Duration> timeout;        // empty: that of the run; zero: none
  bool allow_mismatch = false;            // agents that are not as they were are only told of
};

// Runs what the run's campaign.json says. Returns the exit status: 0 the estimate stands (or
// `default` is the winner and there is nothing to confirm), 1 too few fresh rounds are valid, 130
// interrupted; throws a usage or environment error for status 2.
int confirm(const ConfirmOptions& options, const std::vector<std::string>& environment,
            std::ostream& out);

}  // namespace mstune::coordinator
