#include "coordinator/digest_pattern.h"

#include <regex>

#include "common/error.h"

namespace mstune::coordinator {
namespace {

// Whether a reference to a group or a count of repetitions has more digits than anybody means:
// std::regex adds them up without looking for an overflow.
bool has_huge_number(std::string_view pattern) {
  constexpr std::size_t kDigitsMax = 4;
  std::size_t digits = 0;
  bool counts = false;  // what is read is such a number
  bool escaped = false;
  for (const char c : pattern) {
    const bool is_digit = c >= '0' && c <= '9';
    counts = is_digit ? counts || escaped : (c == '{' && !escaped) || (c == ',' && counts);
    digits = is_digit && counts ? digits + 1 : 0;
    if (digits > kDigitsMax) {
      return true;
    }
    escaped = c == '\\' && !escaped;
  }
  return false;
}

}  // namespace

void check_digest_pattern(const std::string& pattern, std::string_view where) {
  if (pattern.empty()) {
    return;
  }
  if (has_huge_number(pattern)) {
    throw usage_error(
        "digest.huge_number",
        "{}: \"{}\" has a number of more than 4 digits behind a backslash or in braces", where,
        pattern);
  }
  std::size_t groups = 0;
  try {
    groups = std::regex(pattern).mark_count();
  } catch (const std::regex_error& failure) {
    throw usage_error("digest.bad_pattern", "{}: \"{}\" is no regular expression: {}", where,
                      pattern, failure.what());
  }
  if (groups != 1) {
    throw usage_error("digest.one_group",
                      "{}: \"{}\" has {} groups; put one pair of parentheses around the digest, as "
                      "in \"digest (\\w+)\"",
                      where, pattern, groups);
  }
}

}  // namespace mstune::coordinator
