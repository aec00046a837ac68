// Is cutting into chunks cheap beside their digests, and do siblings share their chunks?
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "common/chunker.h"
#include "common/digest.h"
#include "common/manifest.h"
#include "tests/bench/bench.h"

namespace {

constexpr std::size_t kSize = std::size_t{64} << 20;

mstune::Manifest chunk_and_digest(std::string_view bytes) {
  mstune::Chunker chunker;
  mstune::ManifestBuilder builder;
  while (!bytes.empty()) {
    const std::size_t cut = chunker.find_cut(bytes).value_or(bytes.size());
    builder.add(mstune::digest_of(bytes.substr(0, cut)), cut);
    bytes.remove_prefix(cut);
  }
  return builder.finish();
}

double share_lacking(const mstune::Manifest& known, const mstune::Manifest& other) {
  std::unordered_set<mstune::Digest, mstune::DigestHash> digests;
  for (const mstune::Chunk& chunk : known.chunks) {
    digests.insert(chunk.digest);
  }
  std::uint64_t lacking = 0;
  for (const mstune::Chunk& chunk : other.chunks) {
    lacking += digests.contains(chunk.digest) ? 0 : chunk.length;
  }
  return static_cast<double>(lacking) / static_cast<double>(other.size);
}

void print_sharing(const std::string& bytes) {
  const mstune::Manifest known = chunk_and_digest(bytes);
  fmt::print("chunks of {} KiB on average\n", kSize / known.chunks.size() / 1024);
  const std::string fresh = mstune::bench::random_bytes(kSize / 100, 2);

  std::string head = fresh + bytes.substr(fresh.size() - 12345);
  fmt::print("another head of 1 % and a shift of 12345 bytes: {:.2f} % lacking\n",
             100 * share_lacking(known, chunk_and_digest(head)));

  constexpr std::size_t kPlaces = 100;
  std::string scattered = bytes;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const std::size_t part = fresh.size() / kPlaces;
    scattered.replace(i * (kSize / kPlaces), part, fresh, i * part, part);
  }
  fmt::print("1 % in {} places: {:.2f} % lacking\n", kPlaces,
             100 * share_lacking(known, chunk_and_digest(scattered)));
}

}  // namespace

int main() {
  const std::string bytes = mstune::bench::random_bytes(kSize, 1);
  const double digests = mstune::bench::best_mib_per_s(kSize, 5, [&] {
    constexpr std::size_t kPart = mstune::kChunkWanted;
    for (std::size_t at = 0; at < kSize; at += kPart) {
      mstune::digest_of(std::string_view(bytes).substr(at, kPart));
    }
  });
  const double cuts = mstune::bench::best_mib_per_s(kSize, 5, [&] {
    mstune::Chunker chunker;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      rest.remove_prefix(chunker.find_cut(rest).value_or(rest.size()));
    }
  });
  const double both = mstune::bench::best_mib_per_s(kSize, 5, [&] { chunk_and_digest(bytes); });
  fmt::print("digests {:.0f} MiB/s, cuts {:.0f} MiB/s, both {:.0f} MiB/s = {:.2f}x of digests\n",
             digests, cuts, both, both / digests);
  print_sharing(bytes);
}
