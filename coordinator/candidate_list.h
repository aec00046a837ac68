// Lists of strategies, stream counts and candidates as people type them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/cli/option.h"

namespace mstune::coordinator {

// The parts between commas without the blanks around them; empty ones are passed over.
std::vector<std::string> list_items(std::string_view text);

// "2-8" as 2, 3 and so on to 8; anything else as it is, also where a bound is no stream count.
std::vector<std::string> stream_counts(const std::string& item);

// What is wrong with the first item that is, and the list as it was meant. For tables of options.
std::optional<cli::BadValue> check_strategies(std::string_view text);
std::optional<cli::BadValue> check_streams(std::string_view text);
std::optional<cli::BadValue> check_candidates(std::string_view text);

}  // namespace mstune::coordinator
