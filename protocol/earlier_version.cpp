#include "protocol/earlier_version.h"

namespace mstune::protocol {

void take_up_version_1(Report& report) {
  auto* status = std::get_if<Status>(&report);
  if (status == nullptr || status->state != TrialState::queued ||
      status->waits_for != WaitsFor::unknown) {
    return;
  }
  // A name holds no slash.
  const bool is_mark = status->held_by == "/moves";
  status->waits_for = is_mark ? WaitsFor::quiet_machine : WaitsFor::device;
  if (is_mark) {
    status->held_by.clear();
  }
}

}  // namespace mstune::protocol
