#include "tests/standin/acl/visible_devices.h"

#include <charconv>

namespace standin {

std::vector<int> visible_devices(const std::optional<std::string>& value, int device_count) {
  std::vector<int> visible;
  if (!value.has_value()) {
    for (int id = 0; id < device_count; ++id) {
      visible.push_back(id);
    }
    return visible;
  }
  const char* at = value->data();
  const char* const last = at + value->size();
  while (at < last) {
    int id = 0;
    const auto [end, failure] = std::from_chars(at, last, id);
    const bool ascends = visible.empty() || id > visible.back();
    if (failure != std::errc{} || id < 0 || id >= device_count || !ascends) {
      break;
    }
    visible.push_back(id);
    if (end == last || *end != ',') {
      break;
    }
    at = end + 1;
  }
  return visible;
}

}  // namespace standin
