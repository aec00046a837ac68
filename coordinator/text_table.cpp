#include "coordinator/text_table.h"

#include <algorithm>

#include "common/display_width.h"

namespace mstune::coordinator {

std::string text_table(const std::vector<std::vector<std::string>>& rows,
                       const std::vector<Column>& columns) {
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
