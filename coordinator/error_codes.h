// CANN's error codes, and the log library's own warnings, in an output or a record → their causes.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/integer.h"
#include "coordinator/evaluation.h"

namespace mstune::coordinator {

// Those in an output, what explains most first. A code stands by itself: "507033" is none inside of
// "15070331". `chips`: of the devices, for limits that differ from one to another.
std::vector<Reason> causes_in(std::string_view output, const std::vector<std::string>& chips = {});

// Of a `ret` or `sync_ret` of a record; never 0.
Reason cause_of_code(Integer code, const std::vector<std::string>& chips = {});

// The log library's first warning in an output, to the end of its line; empty where there is none.
std::string log_warning_in(std::string_view output);

}  // namespace mstune::coordinator
