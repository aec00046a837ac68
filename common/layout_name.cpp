#include "common/layout_name.h"

#include <algorithm>
#include <string>

#include "common/error.h"

namespace mstune {
namespace {

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
}

// For a message: what could confuse a terminal is replaced, and the end of a long name left out.
std::string printable(std::string_view name) {
  constexpr std::size_t kShown = 80;
  std::string text(name.substr(0, kShown));
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return name.size() > kShown ? text + "..." : text;
}

void require(bool fine, std::string_view name, std::string_view why) {
  if (!fine) {
    throw usage_error("file.bad_name", "the file name \"{}\" cannot be used in a trial: {}",
                      printable(name), why);
  }
}

}  // namespace

void check_layout_name(std::string_view name) {
  require(!name.empty(), name, "it is empty");
  require(name.size() <= kLayoutNameMax, name, "it is longer than 1024 bytes");
  require(name.front() != '/', name, "it must be relative");
  require(std::none_of(name.begin(), name.end(), is_control), name, "it has control characters");
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    require(!part.empty(), name, "it has an empty part");
    require(part != "." && part != "..", name, "\".\" and \"..\" are not allowed");
    require(part.size() <= kNamePartMax, name, "a part of it is longer than 255 bytes");
    start = end + 1;
  }
}

}  // namespace mstune
