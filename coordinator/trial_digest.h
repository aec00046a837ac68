// What a run computed, as its program told it: the digest in its output.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mstune::coordinator {

// The group of the last line of stdout.log in which the pattern is found; of a line only the first
// 4096 bytes are looked at. Nothing for an empty pattern and where there is no such file.
std::optional<std::string> read_digest(const std::filesystem::path& trial_directory,
                                       const std::string& pattern);

}  // namespace mstune::coordinator
