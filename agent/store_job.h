// Does one store job of the receiver's machine: the bridge between download.h and store.h.
#pragma once

#include <optional>
#include <string_view>

#include "agent/download.h"
#include "agent/store.h"

namespace mstune::agent::download {

// On the worker, in the order of the jobs. `payload` belongs to a Write and is empty otherwise. The
// result is to be handed to the machine; none for a Close. Errors become a JobFailed.
std::optional<Event> carry_out(Store& store, const StoreJob& job, std::string_view payload);

}  // namespace mstune::agent::download
