// Rows of an npu-smi table from cells. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace standin::npu_smi {

// `text`, filled up with spaces to `width`; a longer text stays whole.
std::string padded(std::string_view text, std::size_t width);

// "|cell|cell|\n"; each cell begins with a space and is filled up to its width.
std::string row(const std::vector<std::size_t>& widths, const std::vector<std::string>& cells);

// "+----+----+\n" of `line` characters.
std::string rule(const std::vector<std::size_t>& widths, char line);

}  // namespace standin::npu_smi
