// SHA-256 of bytes, through OpenSSL, which uses the processor's own instructions for it.
//
// tests/bench/bench_digest compares it with BLAKE2b: with SHA instructions (x86 since 2017, every
// Kunpeng) it is about twice as fast.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mstune {

inline constexpr std::size_t kDigestSize = 32;

struct Digest {
  std::array<std::uint8_t, kDigestSize> bytes{};

  friend auto operator<=>(const Digest&, const Digest&) = default;
};

// 64 lower-case hexadecimal digits: the name of a file in the store.
std::string hex(const Digest& digest);

// Reads exactly what `hex` writes; anything else is none.
std::optional<Digest> parse_hex_digest(std::string_view text);

// The 32 raw bytes, as they cross the wire.
std::string raw(const Digest& digest);

// Reads 32 raw bytes; any other length is none.
std::optional<Digest> parse_raw_digest(std::string_view bytes);

// For unordered containers: a digest is evenly spread already.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const;
};

// Digests bytes that come in parts. One object serves many digests in turn.
class Hasher {
 public:
  Hasher();

  void update(std::string_view bytes);

  // The digest of everything since the last finish; starts anew.
  Digest finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };

  std::unique_ptr<void, Free> context_;
};

Digest digest_of(std::string_view bytes);

}  // namespace mstune
