#include "agent/line_filter.h"

#include <string>

#include "common/event_line.h"
#include "common/step_record.h"
#include "protocol/limits.h"

namespace mstune::agent {

bool is_wanted_line(std::string_view line) {
  return is_step_line(line) || event_kind(line).has_value();
}

std::optional<protocol::Event> event_of(std::string_view source, std::uint64_t number,
                                        std::string_view line) {
  if (is_step_line(line)) {
    return protocol::StepLine{{std::string(source)}, number, {std::string(line)}};
  }
  if (event_kind(line)) {
    return protocol::EventLine{
        {std::string(source)}, number, {std::string(line.substr(0, protocol::kEventLineBytesMax))}};
  }
  return std::nullopt;
}

}  // namespace mstune::agent
