#include "samples/device.h"

#include <cstdlib>
#include <stdexcept>

namespace samples {

int device_id(const std::string& what, const std::string& text) {
  constexpr std::size_t digits_max = 6;
  if (text.empty() || text.size() > digits_max ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    throw std::invalid_argument(what + " takes a whole number from 0, not \"" + text + "\"");
  }
  return std::stoi(text);
}

int default_device() {
  const char* value = std::getenv("ASCEND_DEVICE_ID");
  return value == nullptr || *value == '\0' ? 0 : device_id("ASCEND_DEVICE_ID", value);
}

}  // namespace samples
