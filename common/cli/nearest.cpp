#include "common/cli/nearest.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace mstune::cli {
namespace {

std::string folded(std::string_view word) {
  std::string result;
  for (const char c : word) {
    result += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

std::size_t common_begin(std::string_view left, std::string_view right) {
  const auto ends = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<std::size_t>(ends.first - left.begin());
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = left[i - 1] == right[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  const std::string word = folded(typed);
  std::string_view best;
  std::size_t longest_begin = 0;  // decides between two that are as near
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view each : known) {
    const std::string folded_each = folded(each);
    // The beginning of a word is meant for it, too: --config for --configs, --strat.
    const bool begins = word.size() >= 4 && folded_each.starts_with(word);
    const std::size_t distance =
        std::min(edit_distance(word, folded_each), begins ? 1 : word.size() + each.size());
    const std::size_t begin = common_begin(word, folded_each);
    if (distance < least || (distance == least && !best.empty() && begin > longest_begin)) {
      least = distance;
      best = each;
      longest_begin = begin;
    }
  }
  return best;
}

}  // namespace mstune::cli
