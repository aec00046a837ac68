// Columns of text for the console, aligned in every language. Pure.
#pragma once

#include <string>
#include <vector>

namespace mstune::coordinator {

enum class Column { words, figures };  // words start at the left, figures end at the right

// Lines with their '\n'; nothing follows the last column. Every row has as many cells as `columns`,
// or fewer.
std::string text_table(std::vector<std::vector<std::string>> rows,
                       const std::vector<Column>& columns);

}  // namespace mstune::coordinator
