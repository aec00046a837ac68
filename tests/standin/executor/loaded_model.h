// A model on the device, ready to run steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/standin/common/knobs.h"
#include "tests/standin/common/om_file.h"
#include "tests/standin/executor/timeline.h"

namespace standin {

// Who runs the model: they differ in the api that they record and in where model ids begin.
enum class ExecutorKind { davinci_model, online_run, model_v2 };

struct Call {
  std::vector<std::string_view> inputs;  // of the Data nodes, in their order
  Dims dims;                             // for the unknown dimensions; empty when all are known
  Timeline* stream = nullptr;
  bool recorded = true;  // false: the one entry point that records nothing, and does not wait
};

struct Outcome {
  std::uint32_t status = 0;          // 0 or an error code
  std::vector<std::string> outputs;  // content; empty when the step failed
  std::vector<Dims> shapes;
};

class LoadedModel {
 public:
  // Gives the model its id. `weight_directory` holds external weights; throws a GeError when one is
  // missing. `device`: logic id, for the company on it.
  LoadedModel(OmModel model, ExecutorKind kind, int device,
              const std::filesystem::path& weight_directory);

  // Runs one step and takes its time for real. With a tuning mode the call waits for the device,
  // however it was made; without one it waits unless `stream` is given.
  Outcome execute(const Call& call);

  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] ExecutorKind kind() const { return kind_; }
  [[nodiscard]] const OmModel& model() const { return model_; }
  [[nodiscard]] std::uint64_t weight_size() const { return weight_bytes(model_.graph); }

 private:
  struct Shaped {
    GraphDef graph;
    double makespan_us = 0;
  };
  const Shaped& shaped(const Dims& dims);
  Outcome compute(const Shaped& shaped, const Call& call) const;
  Outcome run_recorded(const Call& call, const Shaped& shaped, std::uint64_t step);
  void read_weights(const std::filesystem::path& weight_directory);
  void take_streams();
  [[nodiscard]] double time_us(double makespan_us, std::uint64_t step) const;

  OmModel model_;
  ExecutorKind kind_;
  int device_;
  std::uint32_t id_;
  std::string mode_;
  ExecutorKnobs knobs_;
  std::vector<std::uint64_t> weights_;  // fingerprints
  std::atomic<std::uint64_t> steps_{0};
  std::mutex mutex_;
  std::map<Dims, Shaped> shaped_;
};

}  // namespace standin
