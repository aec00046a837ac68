#include <cstring>

#include "common/lanes.h"
#include "common/step_record.h"

namespace mstune {
namespace {

// Two bytes of the tag that seldom stand at this distance in a log. Where they do, the whole tag
// is compared.
constexpr std::size_t kFirst = 6;
constexpr std::size_t kSecond = 8;
static_assert(kStepTag[kFirst] == '_' && kStepTag[kSecond] == 'U');

std::size_t find_in(const char* text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (text[at + kFirst] == kStepTag[kFirst] &&
        std::memcmp(text + at, kStepTag.data(), kStepTag.size()) == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t find_step_tag(std::string_view text) {
  constexpr std::size_t kBlock = 4 * sizeof(Lanes);
  if (text.size() < kStepTag.size()) {
    return std::string_view::npos;
  }
  const Lanes first = lanes_of(kStepTag[kFirst]);
  const Lanes second = lanes_of(kStepTag[kSecond]);
  const auto may_begin = [&](const char* at) {
    return equal_lanes(load_lanes(at + kFirst), first) &
           equal_lanes(load_lanes(at + kSecond), second);
  };
  const std::size_t starts = text.size() - kStepTag.size() + 1;  // places where a tag has room
  std::size_t at = 0;
  for (; at + kBlock <= starts; at += kBlock) {
    const char* const block = text.data() + at;
    if (any_lane(may_begin(block) | may_begin(block + 16) | may_begin(block + 32) |
                 may_begin(block + 48))) {
      const std::size_t found = find_in(text.data(), at, at + kBlock);
      if (found != std::string_view::npos) {
        return found;
      }
    }
  }
  return find_in(text.data(), at, starts);
}

}  // namespace mstune
