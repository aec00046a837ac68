#include "common/chunker.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/lanes.h"

namespace mstune {
namespace {

static_assert(std::endian::native == std::endian::little, "a window is read as it lies in memory");

constexpr std::size_t kWindow = Chunker::kWindow;

// The first condition, met by one place in 256. A run of one value never meets it, as 4 * x is
// never 0x5a. Bytes three apart differ in their role in arrays of 2 and 4 byte numbers, so that one
// of them is a spread-out low byte.
constexpr std::size_t kApart = 3;
constexpr unsigned char kSum = 0x5a;

bool may_end(const unsigned char* last) {
  return static_cast<unsigned char>(last[0] + 3U * *(last - kApart)) == kSum;
}

// 255 for each of the sixteen places from `first` on that meets it, 0 for the others.
Lanes may_end_lanes(const char* first) {
  const Lanes apart = load_lanes(first - kApart);
  return equal_lanes(load_lanes(first) + apart + apart + apart, lanes_of(static_cast<char>(kSum)));
}

// The second condition is on the high bits of this. Together they are met by one place in 2^17
// before the wanted length and in 2^13 behind it: four times harder and four times easier than the
// wanted length of 2^15 asks for.
constexpr std::uint64_t kMixMaxBefore = ~std::uint64_t{0} >> (17U - 8U);
constexpr std::uint64_t kMixMaxBehind = ~std::uint64_t{0} >> (13U - 8U);
static_assert(kChunkWanted == std::size_t{1} << 15U, "the limits belong to this length");

// Must never change: with another mix nothing that an agent has would be found again.
std::uint64_t mix_window(const unsigned char* last) {
  std::array<std::uint64_t, kWindow / sizeof(std::uint64_t)> words{};
  std::memcpy(words.data(), last + 1 - kWindow, kWindow);
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : words) {
    mixed = (mixed ^ word) * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 32U;
  }
  return mixed * 0xd6e8feb86659fd93U;
}

// The position behind the first byte in [from, until) that ends a chunk. The window before `from`
// must be there.
std::optional<std::size_t> look_closely(std::string_view bytes, std::size_t from, std::size_t until,
                                        std::uint64_t mix_max) {
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t at = from; at < until; ++at) {
    if (may_end(data + at) && mix_window(data + at) <= mix_max) {
      return at + 1;
    }
  }
  return std::nullopt;
}

// The same, faster.
std::optional<std::size_t> scan(std::string_view bytes, std::size_t from, std::size_t until,
                                std::uint64_t mix_max) {
  constexpr std::size_t kStep = 2 * sizeof(Lanes);
  for (; from + kStep <= until; from += kStep) {
    const char* const first = bytes.data() + from;
    if (any_lane(may_end_lanes(first) | may_end_lanes(first + sizeof(Lanes)))) {
      if (const auto cut = look_closely(bytes, from, from + kStep, mix_max)) {
        return cut;
      }
    }
  }
  return look_closely(bytes, from, until, mix_max);
}

// As `scan`, where the window of the first places lies in `recent`, the bytes before `bytes`.
std::optional<std::size_t> scan_behind(const std::array<char, kWindow>& recent,
                                       std::string_view bytes, std::size_t from, std::size_t until,
                                       std::uint64_t mix_max) {
  if (from < std::min(kWindow, until)) {
    std::array<char, 2 * kWindow> joint{};
    std::memcpy(joint.data(), recent.data(), kWindow);
    std::memcpy(joint.data() + kWindow, bytes.data(), std::min(kWindow, bytes.size()));
    const auto cut = scan({joint.data(), joint.size()}, kWindow + from,
                          kWindow + std::min(kWindow, until), mix_max);
    if (cut) {
      return *cut - kWindow;
    }
  }
  return scan(bytes, std::max(from, kWindow), until, mix_max);
}

}  // namespace

std::optional<std::size_t> Chunker::find_cut(std::string_view bytes) {
  if (bytes.empty()) {
    return std::nullopt;
  }
  // The position in `bytes` at which the open chunk has the given length, or their end.
  const auto reaching = [&](std::size_t length) {
    return length <= length_ ? 0 : std::min(length - length_, bytes.size());
  };
  const std::size_t shortest = reaching(kChunkMin - 1);
  const std::size_t wanted = reaching(kChunkWanted - 1);
  const std::size_t longest = reaching(kChunkMax);
  auto cut = scan_behind(recent_, bytes, shortest, wanted, kMixMaxBefore);
  if (!cut) {
    cut = scan_behind(recent_, bytes, wanted, longest, kMixMaxBehind);
  }
  if (!cut && length_ + longest == kChunkMax) {
    cut = longest;
  }
  if (cut) {
    restart();
  } else {
    remember(bytes);
  }
  return cut;
}

void Chunker::remember(std::string_view bytes) {
  length_ += bytes.size();
  const std::size_t fresh = std::min(bytes.size(), kWindow);
  std::memmove(recent_.data(), recent_.data() + fresh, kWindow - fresh);
  std::memcpy(recent_.data() + kWindow - fresh, bytes.data() + bytes.size() - fresh, fresh);
}

void Chunker::restart() {
  length_ = 0;
}

}  // namespace mstune
