#include "agent/partial_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_set>
#include <utility>

#include "agent/blob_io.h"
#include "common/error.h"

namespace mstune::agent {

PartialFile::PartialFile(const os::UniqueFd& directory, std::string name,
                         std::shared_ptr<const Manifest> manifest,
                         std::optional<std::vector<bool>> sound)
    : name_(std::move(name)), manifest_(std::move(manifest)) {
  // A crash between its completion and its move leaves a file that may not be written.
  fchmodat(directory.value(), name_.c_str(), 0600, 0);
  descriptor_ = blob_io::open_in(directory, name_, O_RDWR | O_CREAT, 0600);
  if (!descriptor_.valid() ||
      ftruncate(descriptor_.value(), static_cast<off_t>(manifest_->size)) != 0) {
    throw blob_io::write_error(name_, errno);
  }
  if (sound) {
    sound_ = std::move(*sound);
    note_lacking();
  } else {
    check_again();
  }
}

void PartialFile::check_again() {
  sound_ = blob_io::sound_chunks(descriptor_.value(), *manifest_);
  note_lacking();
}

void PartialFile::note_lacking() {
  lacking_.clear();
  for (std::size_t i = 0; i < sound_.size(); ++i) {
    if (!sound_[i]) {
      lacking_.emplace(manifest_->chunks[i].digest, i);
    }
  }
}

bool PartialFile::whole() const {
  return std::find(sound_.begin(), sound_.end(), false) == sound_.end();
}

std::uint64_t PartialFile::lacking_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < sound_.size(); ++i) {
    bytes += sound_[i] ? 0 : manifest_->chunks[i].length;
  }
  return bytes;
}

bool PartialFile::can_use(const Manifest& other) const {
  return std::any_of(other.chunks.begin(), other.chunks.end(),
                     [&](const Chunk& chunk) { return lacking_.contains(chunk.digest); });
}

void PartialFile::copy_from(int blob, const Manifest& other) {
  Run run;
  for (std::size_t source = 0; source < other.chunks.size() && !lacking_.empty(); ++source) {
    const auto [from, until] = lacking_.equal_range(other.chunks[source].digest);
    for (auto at = from; at != until; ++at) {
      const bool goes_on = source == run.source + run.count && at->second == run.place + run.count;
      if (!goes_on) {
        copy_run(blob, other, std::exchange(run, Run{source, at->second, 0}));
      }
      ++run.count;
    }
    // All its places are dealt with: a later chunk of the same digest has nothing to do.
    lacking_.erase(from, until);
  }
  copy_run(blob, other, run);
}

void PartialFile::copy_run(int blob, const Manifest& other, const Run& run) {
  if (run.count == 0) {
    return;
  }
  // A source that turns out to be too short leaves the chunks lacking: they will be sent.
  if (blob_io::copy_range({blob, other.chunks[run.source].offset},
                          {descriptor_.value(), manifest_->chunks[run.place].offset},
                          length_of(*manifest_, run.place, run.count), name_)) {
    note_sound(run.place, run.count);
  }
}

void PartialFile::note_sound(std::size_t first, std::size_t count) {
  std::fill_n(sound_.begin() + static_cast<std::ptrdiff_t>(first), count, true);
}

std::vector<bool> PartialFile::begin_receiving() {
  lacking_ = {};
  duplicates_ = {};
  std::vector<bool> lacks(sound_.size());
  std::unordered_set<Digest, DigestHash> asked_for;
  for (std::size_t i = 0; i < sound_.size(); ++i) {
    if (sound_[i]) {
      continue;
    }
    const Digest& digest = manifest_->chunks[i].digest;
    lacks[i] = asked_for.insert(digest).second;
    if (!lacks[i]) {
      duplicates_.emplace(digest, i);
    }
  }
  return lacks;
}

void PartialFile::write(std::size_t first, std::size_t count, std::string_view payload) {
  const std::uint64_t start = manifest_->chunks.at(first).offset;
  const auto bytes_of = [&](const Chunk& chunk) {
    return payload.substr(static_cast<std::size_t>(chunk.offset - start), chunk.length);
  };
  for (std::size_t i = first; i < first + count; ++i) {
    const Chunk& chunk = manifest_->chunks.at(i);
    if (digest_of(bytes_of(chunk)) != chunk.digest) {
      throw environment_error("store.wrong_digest",
                              "bytes at {} of an uploaded file are not what was announced: it "
                              "changed while it was sent; run again when it is complete",
                              chunk.offset);
    }
  }
  blob_io::write_at(descriptor_.value(), start, payload, name_);
  note_sound(first, count);
  for (std::size_t i = first; i < first + count; ++i) {
    const Chunk& chunk = manifest_->chunks[i];
    const auto [from, until] = duplicates_.equal_range(chunk.digest);
    for (auto at = from; at != until; ++at) {
      blob_io::write_at(descriptor_.value(), manifest_->chunks[at->second].offset, bytes_of(chunk),
                        name_);
      note_sound(at->second, 1);
    }
    duplicates_.erase(from, until);
  }
}

}  // namespace mstune::agent
