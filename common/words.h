// Commands as people write them ↔ argument vectors. Nothing here ever runs a shell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mstune {

// Splits as a POSIX shell splits words: blanks separate, single quotes keep everything, double
// quotes keep all but \" \\ \$ \` and a line break after \, a backslash outside quotes keeps the
// next character. Nothing is expanded. Throws a usage error on an open quote or a last backslash;
// `what` names the option or field for it.
std::vector<std::string> split_words(std::string_view text, std::string_view what);

// The other way: words quoted where a shell would need it, for "run this again" lines.
std::string join_words(const std::vector<std::string>& words);

// Puts `value` in the place of every `placeholder` ("{om}") in every word.
std::vector<std::string> replace_placeholder(std::vector<std::string> words,
                                             std::string_view placeholder, std::string_view value);

// How many bytes the words would have then at the most, with a NUL behind each: to be asked before,
// where the words come from somebody else.
std::size_t bytes_after_replacing(const std::vector<std::string>& words,
                                  std::string_view placeholder, std::size_t value_bytes);

bool holds_placeholder(const std::vector<std::string>& words, std::string_view placeholder);

}  // namespace mstune
