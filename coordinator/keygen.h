// mstune keygen: makes a key pair.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace mstune::coordinator {

struct KeygenOptions {
  std::string name;
  std::string file;  // empty: the default identity
};

// Writes the pair and says what to do with it. Returns the exit status; throws an Error.
int keygen(const KeygenOptions& options, const std::vector<std::string>& environment,
           std::ostream& out);

}  // namespace mstune::coordinator
