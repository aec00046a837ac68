// A file of the store that is being put together: from what a broken-off upload left, from chunks
// that other blobs have, and from chunks that arrive.
//
// Which chunks are there is known from their digests, never from a note about it, so that it may
// break off anywhere and lose nothing but what was under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/manifest.h"
#include "common/os/descriptor.h"

namespace mstune::agent {

class PartialFile {
 public:
  // Opens or makes `name` in the directory, with the size that it is to have. `sound` says which
  // chunks are there when that is known; else an existing file is read. Throws (blob_io.h).
  PartialFile(const os::UniqueFd& directory, std::string name,
              std::shared_ptr<const Manifest> manifest, std::optional<std::vector<bool>> sound);

  [[nodiscard]] const Manifest& manifest() const { return *manifest_; }

  // One a chunk.
  [[nodiscard]] const std::vector<bool>& sound() const { return sound_; }
  [[nodiscard]] bool whole() const;
  [[nodiscard]] std::uint64_t lacking_bytes() const;

  // Whether a file with these chunks has something that this one lacks.
  [[nodiscard]] bool can_use(const Manifest& other) const;

  // Copies that from a blob whose digests were checked. Throws when writing fails.
  void copy_from(int blob, const Manifest& other);

  // Believes nothing about its chunks but their digests: a blob changed while it was copied from.
  void check_again();

  // Ends copying. What is worth sending: each lacking digest once, at its first place.
  std::vector<bool> begin_receiving();

  // The bytes of `count` chunks from `first` on; they also go to every other place of theirs.
  // Throws `store.wrong_digest`, and when writing fails; nothing more counts then.
  void write(std::size_t first, std::size_t count, std::string_view payload);

  [[nodiscard]] int descriptor() const { return descriptor_.value(); }

 private:
  using Places = std::unordered_multimap<Digest, std::size_t, DigestHash>;

  // Chunks that follow each other in both files.
  struct Run {
    std::size_t source = 0;
    std::size_t place = 0;
    std::size_t count = 0;
  };

  void copy_run(int blob, const Manifest& other, const Run& run);
  void note_lacking();
  void note_sound(std::size_t first, std::size_t count);

  std::string name_;
  std::shared_ptr<const Manifest> manifest_;
  os::UniqueFd descriptor_;
  std::vector<bool> sound_;
  Places lacking_;     // until receiving: where a lacking digest belongs
  Places duplicates_;  // when receiving: its places behind the first
};

}  // namespace mstune::agent
