// What a campaign measures: candidates, rounds, and the order of the trials. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/candidate.h"
#include "coordinator/order.h"

namespace mstune::coordinator {

// Only what was measured for the comparison is pooled and ranked.
enum class Purpose {
  measure,
  control,  // `default` under its second name (--aa)
  confirm,  // a fresh run of the winner or of `default`, in rounds of its own
};

// "measure" and so on: the word in the documents.
std::string_view word(Purpose purpose);

struct Trial {
  std::uint32_t index = 0;  // from 0, in the order of running
  Candidate candidate;
  int repeat = 1;  // the round, from 1
  Purpose purpose = Purpose::measure;
  int stage = 0;  // 0: of the rounds that were asked for; n: of the n-th refinement
  // Its number in the campaign; empty: there is one only.
  std::optional<std::uint32_t> device = std::nullopt;
};

// The candidates of the two matrix options, `default` first, duplicates folded, in the order of
// the strategies and then of the streams. `cv` and `default` take no count. Texts are
// comma-separated. Throws a usage error that names the option and the value.
std::vector<Candidate> candidates_of_matrix(std::string_view strategies, std::string_view streams);

// The candidates of --configs, `default` first whether named or not, duplicates folded.
std::vector<Candidate> candidates_of_list(std::string_view configs);

// Where it stands among them; their number where it does not.
std::size_t place_of(const std::vector<Candidate>& candidates, const Candidate& candidate);

// The same run of the same candidate, wherever it runs.
bool is_same_trial(const Trial& left, const Trial& right);

// What a round runs.
struct RoundPlan {
  std::vector<Candidate> participants;
  int round = 1;         // from 1
  bool control = false;  // and `default` a second time
  int stage = 0;         // Trial::stage
};

// Each of the participants once, in the order that is due for the round, numbered from
// `first_index` in the order of running.
std::vector<Trial> trials_of_round(const RoundPlan& plan, const Order& order,
                                   std::uint32_t first_index);

// Rounds of A B B A: `winner` against `default` (--confirm).
struct ConfirmingPlan {
  Candidate winner;
  int rounds = 0;
  int first_round = 1;  // goes on where earlier ones ended
};
std::vector<Trial> confirming_trials(const ConfirmingPlan& plan, const Order& order,
                                     std::uint32_t first_index);

// Complete rounds: each runs every candidate once. `repeat` is at least 1.
std::vector<Trial> trials_in_rounds(const std::vector<Candidate>& candidates, int repeat,
                                    const Order& order = {OrderKind::fixed, 0});

// "trial_007_LoadBalance4_r2", "trial_007_LoadBalance4_r2_d3": its directory below the run
// directory.
std::string directory_name(const Trial& trial);

// The same, wherever it runs.
std::string name_without_device(const Trial& trial);

// A trial that an earlier session left running, perhaps. It is gone on with where the same one is
// planned now.
struct LeftTrial {
  std::string name;  // name_without_device()
  std::uint32_t device = 0;
};

// "LoadBalance:4 round 2", "default (control) round 2 on device 3": for the console.
std::string title(const Trial& trial);

}  // namespace mstune::coordinator
