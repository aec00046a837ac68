#include "agent/store_index.h"

#include <algorithm>
#include <tuple>

namespace mstune::agent {

void StoreIndex::put(const Digest& identity, const Entry& entry) {
  entries_[identity] = entry;
}

Entry* StoreIndex::find(const Digest& identity) {
  const auto found = entries_.find(identity);
  return found == entries_.end() ? nullptr : &found->second;
}

void StoreIndex::unpin(const Digest& identity) {
  const auto found = pins_.find(identity);
  if (found != pins_.end() && --found->second == 0) {
    pins_.erase(found);
  }
}

std::uint64_t StoreIndex::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [identity, entry] : entries_) {
    sum += entry.size;
  }
  return sum;
}

std::uint64_t StoreIndex::pinned_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [identity, entry] : entries_) {
    sum += pins_.contains(identity) ? entry.size : 0;
  }
  return sum;
}

bool StoreIndex::may_be_dropped(const Digest& identity) const {
  const auto found = entries_.find(identity);
  if (found == entries_.end()) {
    return false;
  }
  const Entry& entry = found->second;
  return entry.kind == Kind::partial ? !entry.open : !pins_.contains(identity);
}

std::vector<Digest> StoreIndex::droppable() const {
  std::vector<Digest> result;
  for (const auto& [identity, entry] : entries_) {
    if (may_be_dropped(identity)) {
      result.push_back(identity);
    }
  }
  const auto order = [&](const Digest& identity) {
    const Entry& entry = entries_.at(identity);
    return std::tuple(entry.kind == Kind::blob, entry.last_use, identity);
  };
  std::sort(result.begin(), result.end(),
            [&](const Digest& a, const Digest& b) { return order(a) < order(b); });
  return result;
}

std::optional<std::vector<Digest>> StoreIndex::to_free(std::uint64_t bytes,
                                                       const Digest& spared) const {
  std::vector<Digest> result;
  std::uint64_t freed = 0;
  for (const Digest& identity : droppable()) {
    if (freed >= bytes) {
      break;
    }
    if (identity != spared) {
      freed += entries_.at(identity).size;
      result.push_back(identity);
    }
  }
  if (freed < bytes) {
    return std::nullopt;
  }
  return result;
}

}  // namespace mstune::agent
