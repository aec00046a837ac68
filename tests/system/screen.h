// What stands on a terminal after a program wrote to it.
#pragma once

#include <string>

namespace mstune::test {

// Carries out carriage return, line feed, cursor up (CSI n A), erase below (CSI J) and colours
// (CSI m); anything else stays as it is, so that a test finds it.
std::string screen_after(const std::string& output);

}  // namespace mstune::test
