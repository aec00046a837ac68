// The agent's store of files, known by their identity (common/manifest.h), on disk.
//
//   blobs/<identity>          a whole file, mode 0444, with a fixed modification time: any write
//                             since its digests were checked shows
//   blobs/<identity>.chunks   its manifest; the time of this file is the blob's last use
//   partial/<identity>[.chunks]   an upload that is under way or broke off
//   lock, boot                one process at a time; the boot in which blobs were checked
//
// Every chunk's digest is checked when it arrives. A chunk that is copied from another blob was
// checked there, and the blob's time shows that nothing has written to it since. Nothing is synced
// to disk on the way: a blob from an earlier boot is checked by its digests before its first use
// instead, which also finds what a crash lost. All calls come from one thread,
// the agent's worker, since some read or copy whole files. Errors are environment errors with ids
// "store.…"; after any of them the store is sound.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/manifest.h"

namespace mstune::agent {

struct StoreOptions {
  std::uint64_t limit_bytes = 0;                             // of blobs and partial files together
  std::uint64_t free_bytes_min = std::uint64_t{256} << 20U;  // of the disk, left to others
};

struct StoreUsage {
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;  // of blobs and partial files
  std::uint64_t pinned_bytes = 0;
  std::uint64_t limit_bytes = 0;
  std::uint64_t free_bytes = 0;  // of the disk
};

// A file of a trial's directory: where it goes, and what it is.
struct LayoutEntry {
  std::string name;  // see common/layout_name.h
  Digest identity;
};

class Store {
 public:
  // Makes the directory (0700) when it is not there; its parent must be. Throws `store.in_use`,
  // `store.cannot_open`, also when the directory is not this user's.
  Store(std::filesystem::path directory, const StoreOptions& options);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // True when the blob is there whole and sound; a damaged one is dropped. Counts as a use.
  bool contains(const Digest& identity);

  // The list of an upload that broke off; null when there is none.
  std::shared_ptr<const Manifest> partial_manifest(const Digest& identity);

  // Begins or goes on with a file: makes room, keeps what a broken-off upload left if sound, copies
  // what other blobs have, and says which chunks are lacking. Throws `store.full`,
  // `store.no_room`, `store.disk_full`, `store.cannot_write`.
  std::vector<bool> open(std::shared_ptr<const Manifest> manifest);

  // Writes chunks of an opened file. Throws `store.wrong_digest` when they are not what the
  // manifest says (nothing of them counts then), `store.disk_full`, `store.cannot_write`.
  void write(const Digest& identity, std::size_t first, std::size_t count,
             std::string_view payload);

  // Makes a blob of a file that lacks nothing. Throws `store.incomplete`, `store.cannot_write`.
  void complete(const Digest& identity);

  // Nobody sends any more: what arrived stays for later, first in line to make room.
  void close(const Digest& identity);

  // What a running or queued trial needs is never dropped. Pins are counted, are not kept over a
  // restart, and may be set before the blob is there.
  void pin(const Digest& identity);
  void unpin(const Digest& identity);

  // Drops it as soon as it is neither pinned nor under way, unless somebody asks for it before.
  void forget(const Digest& identity);

  // Puts blobs into an existing directory under the given names, as hard links, or as copies where
  // the disk differs. Throws `store.missing_blob`, `store.damaged_blob` (dropped; send it again),
  // `file.bad_name`, `store.cannot_lay_out`.
  void lay_out(const std::filesystem::path& directory, const std::vector<LayoutEntry>& entries);

  // Drops everything that is neither pinned nor under way; returns the bytes freed.
  std::uint64_t purge();

  [[nodiscard]] StoreUsage usage() const;

 private:
  class State;

  std::unique_ptr<State> state_;
};

}  // namespace mstune::agent
