// Cuts bytes into chunks where their content says so, so that two files with a shifted part in
// common have the chunks of that part in common.
//
// Whether a chunk may end behind a byte depends on that byte and the 31 before it. Below the wanted
// length the condition is harder to meet than above it, which keeps lengths near the wanted one (as
// in FastCDC, Xia et al., 2016). A condition on two bytes, which a compiler turns into vector
// instructions, rules nearly every place out before the 32 bytes are mixed: that is about four
// times as fast as a rolling fingerprint, which depends on its own last value at each byte.
// Pure: no input, no output, and memory for 32 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mstune {

// Chosen by tests/bench/bench_chunking. The largest is what one payload frame carries.
inline constexpr std::size_t kChunkMin = std::size_t{16} * 1024;
inline constexpr std::size_t kChunkWanted = std::size_t{32} * 1024;
inline constexpr std::size_t kChunkMax = std::size_t{256} * 1024;

class Chunker {
 public:
  // Looks at the next bytes of the input. When the open chunk ends within them: how many of them
  // belong to it (1 .. bytes.size()); the next call goes on behind. None: they all belong to it
  // and it is still open. Any split of the input gives the same chunks.
  std::optional<std::size_t> find_cut(std::string_view bytes);

  // Forgets the open chunk: the input is over.
  void restart();

  // How many bytes, the last one included, decide whether a chunk ends.
  static constexpr std::size_t kWindow = 32;

 private:
  void remember(std::string_view bytes);

  std::size_t length_ = 0;              // of the open chunk
  std::array<char, kWindow> recent_{};  // its last bytes
};

}  // namespace mstune
