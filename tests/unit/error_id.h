// What an action throws, as the id of its message.
#pragma once

#include <string>

#include "common/error.h"

namespace mstune {

// "none" where nothing is thrown; what is no Error passes.
template <typename Action>
std::string error_id(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message().id;
  }
  return "none";
}

}  // namespace mstune
