// The registry of custom passes, for the library that runs them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <register/register_custom_pass.h>

namespace ge {

class CustomPassContextImpl {
 public:
  AscendString error_message;
  AscendString pass_name;
  std::map<std::string, std::string> options;
};

class CustomPassAccess {
 public:
  static CustomPassContextImpl& impl(CustomPassContext& context) { return *context.impl_; }
};

}  // namespace ge

namespace standin {

// In the order of their registration.
std::vector<ge::PassRegistrationData> registered_passes();

// Forgets those after the first `kept`: their libraries are about to be unloaded.
void forget_passes(std::size_t kept);

}  // namespace standin
