#include "tests/standin/compiler/path_cover.h"

#include <limits>

namespace standin {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Matches each node with the one that follows it in its chain, by augmenting paths. GE uses
// Hopcroft-Karp; the size of the matching is the same.
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<bool>>& reach)
      : reach_(reach), next_(reach.size(), kNone), previous_(reach.size(), kNone) {
    for (std::size_t node = 0; node < reach.size(); ++node) {
      visited_.assign(reach.size(), false);
      augment(node);
    }
  }

  [[nodiscard]] bool begins(std::size_t node) const { return previous_[node] == kNone; }
  [[nodiscard]] std::size_t next(std::size_t node) const { return next_[node]; }

 private:
  bool augment(std::size_t node) {
    for (std::size_t follower = node + 1; follower < reach_.size(); ++follower) {
      if (!reach_[node][follower] || visited_[follower]) {
        continue;
      }
      visited_[follower] = true;
      if (previous_[follower] == kNone || augment(previous_[follower])) {
        next_[node] = follower;
        previous_[follower] = node;
        return true;
      }
    }
    return false;
  }

  const std::vector<std::vector<bool>>& reach_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> previous_;
  std::vector<bool> visited_;
};

}  // namespace

std::vector<std::vector<bool>> transitive_closure(
    const std::vector<std::vector<std::size_t>>& successors) {
  const std::size_t count = successors.size();
  std::vector<std::vector<bool>> reach(count, std::vector<bool>(count, false));
  for (std::size_t node = count; node-- > 0;) {
    for (const std::size_t successor : successors[node]) {
      reach[node][successor] = true;
      for (std::size_t further = successor + 1; further < count; ++further) {
        if (reach[successor][further]) {
          reach[node][further] = true;
        }
      }
    }
  }
  return reach;
}

std::vector<std::vector<std::size_t>> minimum_path_cover(
    const std::vector<std::vector<std::size_t>>& successors) {
  const auto reach = transitive_closure(successors);
  const Matching matching(reach);
  std::vector<std::vector<std::size_t>> chains;
  for (std::size_t node = 0; node < successors.size(); ++node) {
    if (!matching.begins(node)) {
      continue;
    }
    auto& chain = chains.emplace_back();
    for (std::size_t member = node; member != kNone; member = matching.next(member)) {
      chain.push_back(member);
    }
  }
  return chains;
}

}  // namespace standin
