// What a compile command has to look like: where the OM goes, and nothing about streams. Pure.
#pragma once

#include <string>
#include <vector>

namespace mstune::coordinator {

// The words of a compile command. Throws a usage error when it holds neither {om} nor {om_prefix},
// or an option that decides about streams: the pass does, and two sources of truth would conflict.
std::vector<std::string> compile_words(const std::string& compile_command);

}  // namespace mstune::coordinator
