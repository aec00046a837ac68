// A candidate: one multi-stream configuration of GE, as the user writes it and GE reads it.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace mstune {

enum class Strategy { single_default, cv, load_balance, main_stream, weighted_load_balance };

inline constexpr int kStreamsMin = 1;
inline constexpr int kStreamsMax = 64;

struct Candidate {
  Strategy strategy = Strategy::single_default;
  int streams = 0;  // 1..64; 0 for `default` and `cv`, which take no count

  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

inline constexpr Candidate kDefaultCandidate{};

// The variable that carries a candidate to the pass.
inline constexpr const char* kModeVariable = "GE_AUTO_MULTISTREAM_PARALLEL_MODE";

// "LoadBalance:4", "cv", "default": the value of GE_AUTO_MULTISTREAM_PARALLEL_MODE.
std::string name(const Candidate& candidate);

// "LoadBalance4": the name without its colon, for files and directories.
std::string file_name(const Candidate& candidate);

// Reads a name as GE does (stream_utils.cc): exactly one colon, decimal digits, 1..64; leading
// zeros fold into the same candidate. Throws a usage error that names the text and the choices.
Candidate parse_candidate(std::string_view text);

// Reads the name of a strategy alone ("LoadBalance"). Throws a usage error.
Strategy parse_strategy(std::string_view text);

// The names of all strategies.
std::vector<std::string_view> strategy_names();

// True where the strategy is followed by a stream count.
bool takes_streams(Strategy strategy);

}  // namespace mstune
