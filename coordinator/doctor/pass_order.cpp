#include "coordinator/doctor/pass_order.h"

#include <string>

namespace mstune::coordinator {
namespace {

// Letters and digits of ASCII in lower case; other bytes stay, and so sort behind.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char byte : name) {
    const bool is_upper = byte >= 'A' && byte <= 'Z';
    const bool is_kept = is_upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
                         static_cast<unsigned char>(byte) >= 0x80;
    if (is_kept) {
      letters += is_upper ? static_cast<char>(byte - 'A' + 'a') : byte;
    }
  }
  return letters;
}

}  // namespace

bool locale_may_reorder(std::string_view one, std::string_view other) {
  return one != other && (one < other) != (letters_of(one) < letters_of(other));
}

}  // namespace mstune::coordinator
