#include "tests/standin/executor/loaded_model.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "tests/standin/common/file.h"
#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/ge_log.h"
#include "tests/standin/common/random.h"
#include "tests/standin/device/device_table.h"
#include "tests/standin/executor/device_model.h"
#include "tests/standin/executor/step_recorder.h"
#include "tests/standin/executor/step_time.h"
#include "tests/standin/executor/values.h"

namespace standin {
namespace {

constexpr std::uint32_t kFirstV2Id = 0x7F000000;
constexpr std::uint32_t kGeFailure = 500002;

// Outputs of some MiB come and go with each step. Kept by the allocator, they are not mapped and
// cleared by the kernel anew each time, which took more than the step itself.
void keep_large_blocks() {
  static const bool once = [] {
    constexpr int kLargestThreshold = 32 << 20;  // more is refused
    mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    return true;
  }();
  static_cast<void>(once);
}

std::uint32_t next_id(ExecutorKind kind) {
  static std::atomic<std::uint32_t> next_model{1};
  static std::atomic<std::uint32_t> next_execution{kFirstV2Id};
  return kind == ExecutorKind::model_v2 ? next_execution++ : next_model++;
}

const char* api_name(ExecutorKind kind) {
  switch (kind) {
    case ExecutorKind::davinci_model:
      return "NnExecute";
    case ExecutorKind::online_run:
      return "Run";
    case ExecutorKind::model_v2:
      return "ModelV2Executor";
  }
  return "";
}

std::string weight_file(const std::filesystem::path& path) {
  auto content = read_file(path);
  if (!content.has_value()) {
    throw GeError("E10410", "Cannot open the external weight file " + path.string() + ".");
  }
  return *std::move(content);
}

std::chrono::nanoseconds to_duration(double us) {
  return std::chrono::nanoseconds(std::llround(us * 1000));
}

const Fault* fault_at(const ExecutorKnobs& knobs, std::uint64_t step) {
  for (const Fault& fault : knobs.faults) {
    if (fault.step == step) {
      return &fault;
    }
  }
  return nullptr;
}

// The faults that end the process or never end.
void meet_fate(const Fault& fault) {
  if (fault.what == "kill") {
    std::raise(SIGKILL);
  }
  if (fault.what == "exit") {
    _exit(0);
  }
  while (fault.what == "hang") {
    pause();
  }
}

}  // namespace

LoadedModel::LoadedModel(OmModel model, ExecutorKind kind, int device,
                         const std::filesystem::path& weight_directory)
    : model_(std::move(model)),
      kind_(kind),
      device_(device),
      id_(next_id(kind)),
      knobs_(executor_knobs()) {
  const auto mode = model_.graph.attributes.find(kTuningAttribute);
  mode_ = mode == model_.graph.attributes.end() ? "" : mode->second;
  read_weights(weight_directory);
  take_streams();
  GE_LOG_EVENT("Load model success, model id %u", id_);
}

void LoadedModel::take_streams() {
  const int wanted = model_.plan.streams;
  if (knobs_.streams_free == 0 || wanted <= knobs_.streams_free) {
    return;
  }
  if (kind_ != ExecutorKind::model_v2) {
    GE_LOG_EVENT("Free stream num %d is less than %d, need to unload other models",
                 knobs_.streams_free, wanted);
    throw GeError("E19999", "check and release stream failed");
  }
  GE_LOG_EVENT(
      "Model total required %d streams, including reusable stream_num 1, but current available "
      "stream num is %d. Need rollback to single stream",
      wanted, knobs_.streams_free);
  StreamPlan single;
  for (const int stream : model_.plan.stream_of) {
    single.stream_of.push_back(std::min(stream, 0));
  }
  model_.plan = std::move(single);
}

void LoadedModel::read_weights(const std::filesystem::path& weight_directory) {
  keep_large_blocks();
  std::map<std::string, std::string> files;
  for (const Node& node : model_.graph.nodes) {
    if (node.type != "Const") {
      continue;
    }
    const std::string& name = node.weight.file;
    if (!name.empty() && files.count(name) == 0) {
      files[name] = weight_file(weight_directory / name);
    }
    const std::string_view content = name.empty() ? model_.weights : files[name];
    const std::size_t bytes = value_bytes(node);
    if (node.weight.offset > content.size() || bytes > content.size() - node.weight.offset) {
      throw GeError("EE1001", "The weights of " + node.name + " are cut short.");
    }
    weights_.push_back(fingerprint(content.substr(node.weight.offset, bytes)));
  }
  model_.weights.clear();  // on the device now
}

const LoadedModel::Shaped& LoadedModel::shaped(const Dims& dims) {
  const std::lock_guard lock(mutex_);
  const auto known = shaped_.find(dims);
  if (known != shaped_.end()) {
    return known->second;
  }
  GraphDef graph = dims.empty() ? model_.graph : with_dims(model_.graph, dims);
  if (has_unknown_shape(graph)) {
    throw GeError("E10001", "The shapes of the inputs of " + graph.name + " are not set.");
  }
  const double makespan = makespan_us(graph, model_.plan, DeviceSpec{});
  return shaped_.emplace(dims, Shaped{std::move(graph), makespan}).first->second;
}

double LoadedModel::time_us(double makespan_us, std::uint64_t step) const {
  StepConditions conditions;
  conditions.step = step;
  conditions.model_key = fingerprint(mode_) + id_;
  conditions.processes = standin_device_processes(device_);
  return step_time_us(makespan_us, conditions, knobs_);
}

Outcome LoadedModel::compute(const Shaped& shaped, const Call& call) const {
  std::vector<std::uint64_t> inputs;
  inputs.reserve(call.inputs.size());
  for (const std::string_view input : call.inputs) {
    inputs.push_back(fingerprint(input));
  }
  Outcome outcome;
  const auto values = output_values(shaped.graph, inputs, weights_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Node& node = shaped.graph.nodes[shaped.graph.outputs[i]];
    std::string content(value_bytes(node), '\0');
    const bool wrong = !mode_.empty() && knobs_.corrupt == mode_;
    fill(content.data(), content.size(), wrong ? ~values[i] : values[i]);
    outcome.outputs.push_back(std::move(content));
    outcome.shapes.push_back(node.shape);
  }
  return outcome;
}

Outcome LoadedModel::execute(const Call& call) {
  const std::uint64_t step = steps_++;
  const Shaped& shape = shaped(call.dims);
  if (call.recorded && !mode_.empty()) {
    return run_recorded(call, shape, step);
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto work = to_duration(time_us(shape.makespan_us, step) * knobs_.time_scale);
  const SteadyTime done = call.stream != nullptr ? call.stream->enqueue(work) : begin + work;
  Outcome outcome = compute(shape, call);
  if (call.stream == nullptr) {
    wait_until(done);
  }
  return outcome;
}

Outcome LoadedModel::run_recorded(const Call& call, const Shaped& shape, std::uint64_t step) {
  StepScope scope(api_name(kind_), mode_, id_);
  const auto begin = std::chrono::steady_clock::now();
  const Fault none;
  const Fault* planned_fault = fault_at(knobs_, step);
  const Fault& fault = planned_fault == nullptr ? none : *planned_fault;
  meet_fate(fault);
  if (fault.what == "abort") {
    return {kGeFailure, {}, {}};
  }
  if (fault.what == "exec") {
    scope.finish(fault.code, 0, 0, std::nullopt);
    return {fault.code, {}, {}};
  }
  const double planned_us = time_us(shape.makespan_us, step);
  const auto work = to_duration(planned_us * knobs_.time_scale);
  const SteadyTime done = call.stream != nullptr ? call.stream->enqueue(work) : begin + work;
  Outcome outcome = compute(shape, call);

  // The dynamic-shape executor without a stream has nothing to wait for: it records how long the
  // submission took. The online executor has waited before the recorder looks, so it reports none.
  const bool submission_only = kind_ == ExecutorKind::model_v2 && call.stream == nullptr;
  const auto sync_begin = std::chrono::steady_clock::now();
  if (!submission_only) {
    wait_until(done);
  }
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - sync_begin);
  std::optional<std::uint64_t> cost;
  std::uint64_t sync_us = static_cast<std::uint64_t>(waited.count());
  if (knobs_.deterministic && !submission_only) {
    cost = static_cast<std::uint64_t>(std::llround(planned_us));
    sync_us = std::min<std::uint64_t>(10, *cost);
  }
  if (kind_ == ExecutorKind::online_run || submission_only) {
    sync_us = 0;
  }
  const auto sync_ret = static_cast<std::int32_t>(fault.what == "sync" ? fault.code : 0);
  scope.finish(0, sync_us, sync_ret, cost);
  if (submission_only) {
    wait_until(done);
  }
  if (sync_ret != 0) {
    return {fault.code, {}, {}};
  }
  return outcome;
}

}  // namespace standin
