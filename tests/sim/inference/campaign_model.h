// Simulated boxes for the statistics: what a run's median step cost looks like under known noise.
//
// Steps are simulated one by one (correlated, with spikes) once per model; campaigns then draw the
// error of a run's median from that pool, so that 20,000 campaigns take seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mstune::sim {

// Shares of 1: 0.02 is 2 %.
struct NoiseModel {
  std::string name;
  double between = 0.0;      // standard deviation of log cost between runs
  double within = 0.0;       // standard deviation of a step's log cost within a run
  double lag1 = 0.0;         // correlation of neighbouring steps
  double spike_share = 0.0;  // of the steps, each 1.5 to 4 times as long
  double warming = 0.0;      // growth of the cost over the planned campaign
  double first_slot = 0.0;   // extra cost of the first run of each round
  double heavy_share = 0.0;  // of the runs, with three times the spread between runs
};

// quiet, typical, noisy, warming, shared, slow slot.
const std::vector<NoiseModel>& noise_models();

// Same numbers on every platform, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform();  // in (0, 1)
  double normal();
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
  std::optional<double> spare_;
};

inline constexpr std::size_t kStepsPerRun = 40;

// Log costs of the steps of one run about 0, without the spread between runs.
std::vector<double> simulate_steps(const NoiseModel& model, std::size_t steps, Random& random);

// Error of a run's log median, as often as asked.
std::vector<double> median_errors(const NoiseModel& model, std::size_t count, Random& random);

}  // namespace mstune::sim
