// A run directory as text that can be compared with that of another campaign of the same kind: what
// depends on time, on processes and on where it ran is masked, by one list that stands in the
// source and nowhere else.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mstune::test {

// By the file's path in it. What is kept of attempts that came to nothing is no part of the result,
// and where devices share the rounds neither is which of them took which.
std::map<std::string, std::string> masked_run(const std::filesystem::path& run,
                                              bool devices_share_rounds = false);

// In words, one line each: a file that one of them lacks, a file that differs with both texts'
// first different line.
std::vector<std::string> differences(const std::map<std::string, std::string>& wanted,
                                     const std::map<std::string, std::string>& found);

}  // namespace mstune::test
