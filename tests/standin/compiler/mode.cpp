#include "tests/standin/compiler/mode.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/graph_def.h"

namespace standin {
namespace {

constexpr int kStreamsMax = 64;
constexpr std::array<std::pair<const char*, Strategy>, 3> kCounted{
    {{"LoadBalance", Strategy::load_balance},
     {"MainStream", Strategy::main_stream},
     {"WeightedLoadBalance", Strategy::weighted_load_balance}}};

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw GeError("E10001", "Value [" + text + "] for parameter [" + kModeAttribute +
                              "] is invalid. Reason: " + why);
}

int parse_streams(const std::string& text, const std::string& digits) {
  const bool plain = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  const int streams = plain && digits.size() - first <= 2 && first < digits.size()
                          ? std::stoi(digits.substr(first))
                          : 0;
  if (streams < 1 || streams > kStreamsMax) {
    refuse(text, "The number of streams must be an integer in the range [1, 64].");
  }
  return streams;
}

}  // namespace

Mode parse_mode(const std::string& text, bool from_attribute) {
  if (text.empty()) {
    return {};
  }
  if (text == "default") {
    if (!from_attribute) {
      refuse(text,
             "The default mode is supported only by the graph attribute set by a custom pass.");
    }
    return {Strategy::single_default, 0};
  }
  if (text == "cv") {
    return {Strategy::cv, 0};
  }
  const auto colon = text.find(':');
  for (const auto& [name, strategy] : kCounted) {
    if (colon != std::string::npos && text.compare(0, colon, name) == 0) {
      return {strategy, parse_streams(text, text.substr(colon + 1))};
    }
  }
  refuse(text, "It must be cv, LoadBalance:N, MainStream:N or WeightedLoadBalance:N.");
}

Mode effective_mode(const std::string& attribute, const std::string& option, bool single_stream) {
  const bool from_attribute = !attribute.empty();
  const Mode mode = parse_mode(from_attribute ? attribute : option, from_attribute);
  if (single_stream && mode.strategy != Strategy::off) {
    throw GeError("E10056",
                  std::string("Cannot configure both parameters ge.enableSingleStream and ") +
                      kModeAttribute + " simultaneously.");
  }
  return mode;
}

}  // namespace standin
