// Any bytes as a target file: a target that can be used, or an Error that names the file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/error.h"
#include "coordinator/target.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/stopwatch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  using mstune::fuzz::check;
  try {
    const auto target = mstune::coordinator::parse_target(
        std::string_view(reinterpret_cast<const char*>(data), size), "t.json");
    check(!target.host.empty() && target.port != 0);
    check(target.server_key.has_value() != target.insecure);
    check(mstune::coordinator::endpoint(target).starts_with("tcp://"));
  } catch (const mstune::Error& error) {
    check(error.kind() == mstune::ErrorKind::usage && !error.message().text.empty());
  }
  return 0;
}
