// Cuts bytes into chunks where their content says so, so that two files with a shifted part in
// common have the chunks of that part in common.
//
// A rolling "gear" fingerprint of the last 64 bytes decides (Xia et al., FastCDC, 2016): below the
// wanted length a cut needs more zero bits than above it, which keeps lengths near the average. The
// decision starts anew with each chunk, so a chunk's end depends on the bytes since its start only.
// Pure: no input, no output, no memory but the position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mstune {

// Chosen by tests/bench/bench_chunking. The largest is what one payload frame carries.
inline constexpr std::size_t kChunkMin = std::size_t{16} * 1024;
inline constexpr std::size_t kChunkWanted = std::size_t{64} * 1024;
inline constexpr std::size_t kChunkMax = std::size_t{256} * 1024;

class Chunker {
 public:
  // Looks at the next bytes of the input. When the open chunk ends within them: how many of them
  // belong to it (1 .. bytes.size()); the next call goes on behind. None: they all belong to it
  // and it is still open. Any split of the input gives the same chunks.
  std::optional<std::size_t> find_cut(std::string_view bytes);

  // Forgets the open chunk: the input is over, or its end was learnt in another way.
  void restart();

 private:
  std::size_t length_ = 0;  // of the open chunk
  std::uint64_t fingerprint_ = 0;
};

}  // namespace mstune
