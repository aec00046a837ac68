#include "coordinator/candidate_list.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/candidate.h"
#include "common/cli/nearest.h"
#include "common/error.h"

namespace mstune::coordinator {
namespace {

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failure == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional<int>(number) : std::nullopt;
}

// The strategy that was meant; as typed where none is near.
std::string meant_strategy(const std::string& typed) {
  const std::string_view near = cli::nearest(typed, strategy_names());
  return near.empty() ? typed : std::string(near);
}

// "loadbalance4" and "LoadBalance=4" as LoadBalance:4.
std::string meant_candidate(const std::string& typed) {
  const auto digits_begin = typed.find_last_not_of("0123456789") + 1;
  const auto name_end = typed.find_last_not_of(":=/-", digits_begin == 0 ? 0 : digits_begin - 1);
  const std::string strategy = meant_strategy(typed.substr(0, name_end + 1));
  if (strategy == "cv" || strategy == "default") {
    return strategy;
  }
  const int streams = number_of(std::string_view(typed).substr(digits_begin)).value_or(4);
  return fmt::format("{}:{}", strategy, std::clamp(streams, kStreamsMin, kStreamsMax));
}

std::string meant_count(const std::string& typed) {
  const std::string_view digits =
      std::string_view(typed).substr(0, typed.find_first_not_of("0123456789"));
  return std::to_string(std::clamp(number_of(digits).value_or(4), kStreamsMin, kStreamsMax));
}

using Read = void (*)(const std::string& item);
using Mend = std::string (*)(const std::string& item);

std::optional<cli::BadValue> check(std::string_view text, Read read, Mend mend) {
  std::optional<Message> why;
  std::vector<std::string> meant;
  for (const std::string& item : list_items(text)) {
    try {
      read(item);
      meant.push_back(item);
    } catch (const Error& error) {
      why = why ? why : error.message();
      meant.push_back(mend(item));
    }
  }
  return why ? std::optional(cli::BadValue{*why, fmt::format("{}", fmt::join(meant, ","))})
             : std::nullopt;
}

}  // namespace

std::vector<std::string> list_items(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto first = item.find_first_not_of(" \t");
    if (first != std::string_view::npos) {
      items.emplace_back(item.substr(first, item.find_last_not_of(" \t") - first + 1));
    }
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return items;
}

std::vector<std::string> stream_counts(const std::string& item) {
  const auto dash = item.find('-');
  const auto first = number_of(std::string_view(item).substr(0, dash));
  const auto last =
      dash == std::string::npos ? std::nullopt : number_of(std::string_view(item).substr(dash + 1));
  if (!first || !last || *first < kStreamsMin || *last > kStreamsMax || *first > *last) {
    return {item};
  }
  std::vector<std::string> counts;
  for (int count = *first; count <= *last; ++count) {
    counts.push_back(std::to_string(count));
  }
  return counts;
}

std::optional<cli::BadValue> check_strategies(std::string_view text) {
  return check(
      text, [](const std::string& item) { static_cast<void>(parse_strategy(item)); },
      meant_strategy);
}

std::optional<cli::BadValue> check_streams(std::string_view text) {
  return check(
      text,
      [](const std::string& item) {
        for (const std::string& count : stream_counts(item)) {
          static_cast<void>(parse_candidate("LoadBalance:" + count));
        }
      },
      meant_count);
}

std::optional<cli::BadValue> check_candidates(std::string_view text) {
  return check(
      text, [](const std::string& item) { static_cast<void>(parse_candidate(item)); },
      meant_candidate);
}

}  // namespace mstune::coordinator
