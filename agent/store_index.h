// What the store has, as numbers: sizes, last uses, pins; and what must go to make room.
//
// Pure: no file is touched here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/digest.h"

namespace mstune::agent {

enum class Kind { blob, partial };

struct Entry {
  Kind kind = Kind::blob;
  std::uint64_t size = 0;     // bytes
  std::int64_t last_use = 0;  // any scale that grows
  bool open = false;          // a partial that is being received
};

class StoreIndex {
 public:
  // Replaces what was known of this identity.
  void put(const Digest& identity, const Entry& entry);
  void drop(const Digest& identity) { entries_.erase(identity); }

  // Null when it is not there.
  [[nodiscard]] Entry* find(const Digest& identity);

  void pin(const Digest& identity) { ++pins_[identity]; }
  void unpin(const Digest& identity);

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t pinned_bytes() const;
  [[nodiscard]] const std::map<Digest, Entry>& entries() const { return entries_; }

  // A partial that nobody receives, or a blob that is not pinned.
  [[nodiscard]] bool may_be_dropped(const Digest& identity) const;

  // Everything that may be dropped: partials that nobody receives first, then blobs that are not
  // pinned, the least recently used first.
  [[nodiscard]] std::vector<Digest> droppable() const;

  // What to drop, in this order, so that `bytes` are freed; none when that cannot be. `spared` is
  // not dropped.
  [[nodiscard]] std::optional<std::vector<Digest>> to_free(std::uint64_t bytes,
                                                           const Digest& spared) const;

 private:
  std::map<Digest, Entry> entries_;
  std::map<Digest, std::uint64_t> pins_;
};

}  // namespace mstune::agent
