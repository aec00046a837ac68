#include "tests/standin/executor/step_time.h"

#include <algorithm>
#include <cmath>

#include "tests/standin/common/random.h"

namespace standin {

double run_factor(const ExecutorKnobs& knobs) {
  return knobs.deterministic ? 1 : std::exp(knobs.noise_run * Random(knobs.seed).normal());
}

double step_time_us(double makespan_us, const StepConditions& conditions,
                    const ExecutorKnobs& knobs) {
  Random random(knobs.seed ^ conditions.model_key ^ (conditions.step * 0x9E3779B97F4A7C15));
  const double noise = std::exp(knobs.noise_step * random.normal());
  const double drift = 1 + knobs.drift * static_cast<double>(conditions.step) / 1000;
  const bool warming =
      conditions.step < static_cast<std::uint64_t>(std::max(knobs.warmup_steps, 0));
  const double warmup = warming ? knobs.warmup_factor : 1;
  return std::max(1.0, makespan_us * run_factor(knobs) * noise * std::max(drift, 0.01) * warmup *
                           std::max(conditions.processes, 1));
}

}  // namespace standin
