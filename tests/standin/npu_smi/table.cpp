#include "tests/standin/npu_smi/table.h"

#include <algorithm>

namespace standin::npu_smi {

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(result.size(), width), ' ');
  return result;
}

std::string row(const std::vector<std::size_t>& widths, const std::vector<std::string>& cells) {
  std::string text = "|";
  for (std::size_t index = 0; index < widths.size(); ++index) {
    text += padded(" " + cells[index], widths[index]) + "|";
  }
  return text + "\n";
}

std::string rule(const std::vector<std::size_t>& widths, char line) {
  std::string text = "+";
  for (const std::size_t width : widths) {
    text += std::string(width, line) + "+";
  }
  return text + "\n";
}

}  // namespace standin::npu_smi
