// Messages that are put together line by line. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "common/message.h"

namespace mstune::coordinator {

using Messages = std::vector<Message>;

// `id` and `phrase` as message() takes them.
template <typename... Values>
void add_line(Messages& lines, std::string_view id, Phrase<sizeof...(Values)> phrase,
              const Values&... values) {
  lines.push_back(message(id, phrase, values...));
}

}  // namespace mstune::coordinator
