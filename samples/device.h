// The device that a program takes when its command line names none.
#pragma once

#include <string>

namespace samples {

// 0 and above, of at most 6 digits; throws std::invalid_argument that names what it came from.
int device_id(const std::string& what, const std::string& text);

// That of ASCEND_DEVICE_ID; 0 when it is not set, or empty. Throws as device_id() does.
int default_device();

}  // namespace samples
