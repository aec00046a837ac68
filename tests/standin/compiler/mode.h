// GE's reading of a multi-stream mode (stream_utils.cc), and its refusals.
#pragma once

#include <string>

namespace standin {

enum class Strategy { off, single_default, cv, load_balance, main_stream, weighted_load_balance };

struct Mode {
  Strategy strategy = Strategy::off;
  int streams = 0;  // 1..64; 0 where the strategy takes none
};

// `from_attribute`: the text stood on the root graph, the only place where "default" is allowed.
// Throws a GeError E10001.
Mode parse_mode(const std::string& text, bool from_attribute);

// The attribute beats the option when it is there. Throws a GeError: E10001 for a bad mode, E10056
// when any non-empty mode meets ge.enableSingleStream.
Mode effective_mode(const std::string& attribute, const std::string& option, bool single_stream);

}  // namespace standin
