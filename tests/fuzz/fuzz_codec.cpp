// Any bytes as a message, in both directions: refused with an Error, passed over, or read; and what
// was read says the same when it is packed and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/error.h"
#include "protocol/codec.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using mstune::fuzz::check;

template <typename Unpack>
void try_to_read(std::string_view bytes, Unpack unpack) {
  try {
    const auto first = unpack(bytes);
    if (!first) {
      return;
    }
    const std::string packed = mstune::protocol::pack(*first);
    // A short header of another's may stand for one with all fields written out.
    const auto second = unpack(packed);
    check(second.has_value());
    check(mstune::protocol::pack(*second) == packed);
  } catch (const mstune::Error& error) {
    check(error.kind() == mstune::ErrorKind::protocol);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_to_read(bytes, [](std::string_view text) { return mstune::protocol::unpack_request(text); });
  try_to_read(bytes, [](std::string_view text) { return mstune::protocol::unpack_report(text); });
  return 0;
}
