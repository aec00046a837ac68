// Text of a program or a peer, made fit for a person's terminal. Pure.
//
// The one border between bytes that somebody else chose and a screen: nothing behind it moves a
// cursor, changes a colour or a title, or turns the direction of what follows. Files keep the
// bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mstune {

// Cut to `bytes_max`, marked by "...". Control characters stand as "\x1b", and so do bytes that
// are no UTF-8 and characters that turn the direction of text; line ends and tabs stay. Of a line
// with carriage returns what a terminal would show of it at last is left.
std::string visible(std::string_view text, std::size_t bytes_max = std::size_t{64} * 1024);

// The same for what has to stay on one line: line ends and tabs are made visible as well.
std::string visible_line(std::string_view text, std::size_t bytes_max = 4096);

}  // namespace mstune
