#include "pass/mode_attributes.h"

namespace mstune_pass {

std::string write_mode(const char* mode, const SetAttribute& set_attribute) {
  if (mode == nullptr || *mode == '\0') {
    return "";
  }
  for (const char* name : {kModeAttribute, kTuningAttribute}) {
    if (!set_attribute(name, mode)) {
      return std::string("the root graph did not take ") + name + "=" + mode;
    }
  }
  return "";
}

}  // namespace mstune_pass
