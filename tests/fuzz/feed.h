// Values taken from a fuzzer's bytes, from the front; zeros when there are no more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mstune::fuzz {

class Feed {
 public:
  Feed(const std::uint8_t* data, std::size_t size)
      : bytes_(reinterpret_cast<const char*>(data), size) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  std::uint8_t byte() {
    if (bytes_.empty()) {
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }

  // Small numbers mostly, since they are the ones that mean something; now and then an enormous
  // one.
  std::uint64_t number() {
    const std::uint8_t first = byte();
    if (first < 0xf0) {
      return first % 16;
    }
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value = value << 8U | byte();
    }
    return value;
  }

  std::string text(std::size_t size_max) {
    const std::size_t size = std::min({size_max, std::size_t{byte()}, bytes_.size()});
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view bytes_;
};

}  // namespace mstune::fuzz
