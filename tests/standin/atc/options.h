// The command line of atc. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace standin {

struct AtcOptions {
  bool help = false;
  std::map<std::string, std::string> values;  // by name, without the dashes

  [[nodiscard]] std::string value(const std::string& name, const std::string& otherwise = "") const;
};

// Takes "--name=value" and "--name value". Throws a GeError for an unknown option, a missing
// value, or a build (mode 0) without a model, an output or a soc_version.
AtcOptions parse_options(const std::vector<std::string>& arguments);

// The name of the file that a build writes: ".om" is appended to the prefix always, and a graph of
// unknown shape puts "_<os>_<cpu>" before the first ".om" of the whole path, wherever that is.
std::string om_path(const std::string& prefix, bool unknown_shape, const std::string& os,
                    const std::string& cpu);

}  // namespace standin
