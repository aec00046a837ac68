// What a run computed, as its program told it: the digest in its output.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mstune::coordinator {

// Throws a usage error when `pattern` is no regular expression (ECMAScript) with exactly one group.
// `where` names where it was written.
void check_digest_pattern(const std::string& pattern, std::string_view where);

// The group of the last line of stdout.log in which the pattern is found; of a line only the first
// 4096 bytes are looked at. Nothing for an empty pattern and where there is no such file.
std::optional<std::string> read_digest(const std::filesystem::path& trial_directory,
                                       const std::string& pattern);

}  // namespace mstune::coordinator
