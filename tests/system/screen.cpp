#include "tests/system/screen.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mstune::test {
namespace {

class Screen {
 public:
  void put(char c) {
    if (c == '\n') {
      ++row_;
      rows_.resize(std::max(rows_.size(), row_ + 1));
    } else if (c == '\r') {
      column_ = 0;
    } else {
      std::string& line = rows_[row_];
      line.resize(std::max(line.size(), column_ + 1), ' ');
      line[column_++] = c;
    }
  }
  void up(std::size_t rows) { row_ -= std::min(row_, rows); }
  void erase_below() {
    rows_[row_].resize(std::min(rows_[row_].size(), column_));
    rows_.resize(row_ + 1);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& line : rows_) {
      text += line + '\n';
    }
    return text;
  }

 private:
  std::vector<std::string> rows_{1};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

}  // namespace

std::string screen_after(const std::string& output) {
  Screen screen;
  for (std::size_t at = 0; at < output.size(); ++at) {
    const bool sequence = output[at] == '\x1b' && output.compare(at + 1, 1, "[") == 0;
    const auto end = sequence ? output.find_first_not_of("0123456789;", at + 2) : std::string::npos;
    const char kind = end == std::string::npos ? '\0' : output[end];
    if (kind == 'A') {
      screen.up(std::stoul("0" + output.substr(at + 2, end - at - 2)));
    } else if (kind == 'J') {
      screen.erase_below();
    }
    if (kind == 'A' || kind == 'J' || kind == 'm') {
      at = end;
    } else {
      screen.put(output[at]);
    }
  }
  return screen.text();
}

}  // namespace mstune::test
