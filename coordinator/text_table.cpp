#include "coordinator/text_table.h"

#include <algorithm>

#include "common/display_width.h"
#include "common/visible.h"

namespace mstune::coordinator {

std::string text_table(std::vector<std::vector<std::string>> rows,
                       const std::vector<Column>& columns) {
  // Names of machines, chips and versions are what peers say they are.
  for (std::vector<std::string>& row : rows) {
    std::transform(row.begin(), row.end(), row.begin(),
                   [](const std::string& cell) { return visible_line(cell); });
  }
  std::vector<std::size_t> widths(columns.size());
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], display_width(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      text += "  ";
      if (columns[column] == Column::figures) {
        text += padded_left(row[column], widths[column]);
      } else {
        text += column + 1 < row.size() ? padded_right(row[column], widths[column]) : row[column];
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace mstune::coordinator
