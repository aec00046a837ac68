// Any bytes at the borders where text of programs and peers becomes something else: a line on a
// screen, a word of a command, GE's EVENT lines, a library of the tuning pass.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/event_line.h"
#include "common/shared_library.h"
#include "common/utf8.h"
#include "common/visible.h"
#include "common/words.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using mstune::fuzz::check;

// Nothing that a terminal obeys is left, and nothing that is no text.
void check_shown(const std::string& shown, bool one_line) {
  check(mstune::is_utf8(shown));
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    check(byte >= 0x20 || (!one_line && (c == '\n' || c == '\t')));
    check(byte != 0x7F);
  }
}

void check_words(std::string_view bytes) {
  const std::vector<std::string> words{std::string(bytes)};
  const std::string value(bytes.size() % 300, 'v');
  const std::size_t most = mstune::bytes_after_replacing(words, "{om}", value.size());
  if (most > std::size_t{1} << 20U) {
    return;  // what nobody may replace
  }
  const auto replaced = mstune::replace_placeholder(words, "{om}", value);
  check(replaced.size() == 1 && replaced.front().size() + 1 <= most);
  check(mstune::holds_placeholder(words, "{om}") || replaced == words);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_shown(mstune::visible(bytes), false);
  check_shown(mstune::visible(bytes, 10), false);
  check_shown(mstune::visible_line(bytes), true);
  check_words(bytes);
  static_cast<void>(mstune::event_kind(bytes));
  if (const auto library = mstune::read_shared_library(bytes)) {
    static_cast<void>(mstune::is_tuning_pass(*library));
    check(library->exports.size() <= library->symbols.size());
  }
  return 0;
}
