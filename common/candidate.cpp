#include "common/candidate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/error.h"

namespace mstune {
namespace {

constexpr std::array<std::pair<Strategy, std::string_view>, 5> kStrategies{{
    {Strategy::single_default, "default"},
    {Strategy::cv, "cv"},
    {Strategy::load_balance, "LoadBalance"},
    {Strategy::main_stream, "MainStream"},
    {Strategy::weighted_load_balance, "WeightedLoadBalance"},
}};

std::string_view strategy_name(Strategy strategy) {
  return std::find_if(kStrategies.begin(), kStrategies.end(),
                      [&](const auto& entry) { return entry.first == strategy; })
      ->second;
}

}  // namespace

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const auto& [strategy, name] : kStrategies) {
    names.push_back(name);
  }
  return names;
}

bool takes_streams(Strategy strategy) {
  return strategy != Strategy::single_default && strategy != Strategy::cv;
}

std::string name(const Candidate& candidate) {
  std::string result(strategy_name(candidate.strategy));
  if (takes_streams(candidate.strategy)) {
    result += ":" + std::to_string(candidate.streams);
  }
  return result;
}

std::string file_name(const Candidate& candidate) {
  std::string result = name(candidate);
  std::erase(result, ':');
  return result;
}

Strategy parse_strategy(std::string_view text) {
  for (const auto& [strategy, known] : kStrategies) {
    if (known == text) {
      return strategy;
    }
  }
  throw usage_error("candidate.unknown_strategy",
                    "unknown strategy \"{}\": choose from LoadBalance, MainStream, "
                    "WeightedLoadBalance, cv and default (spelled so)",
                    text);
}

Candidate parse_candidate(std::string_view text) {
  const auto colon = text.find(':');
  const Strategy strategy = parse_strategy(text.substr(0, colon));
  if (!takes_streams(strategy)) {
    if (colon != std::string_view::npos) {
      throw usage_error("candidate.unwanted_streams", "\"{}\": {} takes no stream count", text,
                        strategy_name(strategy));
    }
    return {strategy, 0};
  }
  if (colon == std::string_view::npos) {
    throw usage_error("candidate.missing_streams",
                      "\"{}\" needs a stream count, as in {}:4 ({} to {})", text, text, kStreamsMin,
                      kStreamsMax);
  }
  const std::string_view digits = text.substr(colon + 1);
  int streams = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), streams);
  const bool plain = !digits.empty() && digits.front() != '-' &&
                     end == digits.data() + digits.size() && failure == std::errc{};
  if (!plain || streams < kStreamsMin || streams > kStreamsMax) {
    throw usage_error("candidate.bad_streams",
                      "\"{}\": the stream count must be a whole number from {} to {}", text,
                      kStreamsMin, kStreamsMax);
  }
  return {strategy, streams};
}

}  // namespace mstune
