// How much room a text takes on a terminal: Chinese characters take two columns. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mstune {

// Columns of UTF-8 text. Wide and full-width characters (Unicode, East Asian Width W and F) take
// two, combining marks none; a byte that is no UTF-8 takes one.
std::size_t display_width(std::string_view text);

// The text with blanks up to `width` columns, after it or before it; longer text stays as it is.
std::string padded_right(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);

// As many whole characters from the beginning as fit into `width` columns.
std::string_view cut_to_width(std::string_view text, std::size_t width);

}  // namespace mstune
