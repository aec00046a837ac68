// What a campaign measures: candidates, rounds, and the order of the trials. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/candidate.h"

namespace mstune::coordinator {

struct Trial {
  std::uint32_t index = 0;  // from 0, in the order of running
  Candidate candidate;
  int repeat = 1;  // the round, from 1
};

// The candidates of the two matrix options, `default` first, duplicates folded, in the order of
// the strategies and then of the streams. `cv` and `default` take no count. Texts are
// comma-separated. Throws a usage error that names the option and the value.
std::vector<Candidate> candidates_of_matrix(std::string_view strategies, std::string_view streams);

// The candidates of --configs, `default` first whether named or not, duplicates folded.
std::vector<Candidate> candidates_of_list(std::string_view configs);

// Complete rounds: each runs every candidate once. `repeat` is at least 1.
std::vector<Trial> trials_in_rounds(const std::vector<Candidate>& candidates, int repeat);

// "trial_007_LoadBalance4_r2": its directory below the run directory.
std::string directory_name(const Trial& trial);

}  // namespace mstune::coordinator
