// From the makespan to the time that one step takes: warm-up, drift, noise, company. Pure.
#pragma once

#include <cstdint>

#include "tests/standin/common/knobs.h"

namespace standin {

// The factor of this process, from the run-to-run noise; 1 in deterministic mode.
double run_factor(const ExecutorKnobs& knobs);

struct StepConditions {
  std::uint64_t step = 0;       // of this model in this process
  std::uint64_t model_key = 0;  // tells models and modes apart, for the noise
  int processes = 1;            // on the device, this one included: they share its time
};

// Microseconds, at least 1. The same arguments give the same result.
double step_time_us(double makespan_us, const StepConditions& conditions,
                    const ExecutorKnobs& knobs);

}  // namespace standin
