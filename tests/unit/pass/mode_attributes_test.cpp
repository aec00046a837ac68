#include "pass/mode_attributes.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

namespace {

using Attributes = std::map<std::string, std::string>;

Attributes attributes_for(const char* mode) {
  Attributes attributes;
  const std::string failure =
      mstune_pass::write_mode(mode, [&](const char* name, const std::string& value) {
        attributes[name] = value;
        return true;
      });
  CHECK(failure.empty());
  return attributes;
}

}  // namespace

TEST_CASE("pass: an unset or empty mode leaves the graph alone") {
  CHECK(attributes_for(nullptr).empty());
  CHECK(attributes_for("").empty());
}

TEST_CASE("pass: both attributes are the mode, exactly as it was given") {
  for (const char* mode : {"default", "LoadBalance:04", " no mode at all "}) {
    CHECK(attributes_for(mode) == Attributes{{"ge.autoMultistreamParallelMode", mode},
                                             {"_auto_multistream_tuning_mode", mode}});
  }
}

TEST_CASE("pass: a refused attribute is a failure that names it, and the next is not tried") {
  int calls = 0;
  const std::string failure =
      mstune_pass::write_mode("cv", [&](const char* /*name*/, const std::string& /*value*/) {
        ++calls;
        return false;
      });
  CHECK(failure == "the root graph did not take ge.autoMultistreamParallelMode=cv");
  CHECK(calls == 1);
}
