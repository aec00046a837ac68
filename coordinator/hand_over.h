// What a run directory holds of a campaign that goes on, handed to its session and dispatcher.
#pragma once

#include "coordinator/resume.h"
#include "coordinator/session.h"

namespace mstune::coordinator {

void hand_over(ResumedRun resumed, SessionOptions& session);

}  // namespace mstune::coordinator
