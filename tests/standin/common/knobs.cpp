#include "tests/standin/common/knobs.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "tests/standin/common/random.h"

namespace standin {
namespace {

template <typename Number>
Number number(const char* name, Number otherwise) {
  const std::string text = environment(name);
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && end == text.data() + text.size() ? value : otherwise;
}

bool flag(const char* name) {
  return environment(name) == "1";
}

bool parse_fault(std::string_view text, Fault& fault) {
  const auto at = text.find('@');
  const auto colon = std::min(text.find(':'), at);
  if (at == std::string_view::npos) {
    return false;
  }
  fault.what = text.substr(0, colon);
  const std::string_view code = text.substr(colon, at - colon);
  const std::string_view step = text.substr(at + 1);
  if (code.size() > 1) {
    std::from_chars(code.data() + 1, code.data() + code.size(), fault.code);
  }
  return std::from_chars(step.data(), step.data() + step.size(), fault.step).ec == std::errc{};
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<Fault> parse_faults(std::string_view text) {
  std::vector<Fault> faults;
  while (!text.empty()) {
    const auto cut = std::min(text.find(','), text.size());
    Fault fault;
    if (parse_fault(text.substr(0, cut), fault)) {
      faults.push_back(fault);
    }
    text.remove_prefix(std::min(cut + 1, text.size()));
  }
  return faults;
}

ExecutorKnobs executor_knobs() {
  ExecutorKnobs knobs;
  knobs.deterministic = flag("STANDIN_DETERMINISTIC");
  const auto own_seed = knobs.deterministic ? 1U : static_cast<std::uint64_t>(getpid());
  knobs.seed = number("STANDIN_SEED", own_seed);
  knobs.noise_step = number("STANDIN_NOISE_STEP", knobs.noise_step);
  knobs.noise_run = number("STANDIN_NOISE_RUN", knobs.noise_run);
  knobs.drift = number("STANDIN_DRIFT", knobs.drift);
  knobs.warmup_steps = number("STANDIN_WARMUP_STEPS", knobs.warmup_steps);
  knobs.warmup_factor = number("STANDIN_WARMUP_FACTOR", knobs.warmup_factor);
  knobs.time_scale = number("STANDIN_TIME_SCALE", knobs.time_scale);
  knobs.corrupt = environment("STANDIN_CORRUPT");
  knobs.faults = parse_faults(environment("STANDIN_FAULT"));
  knobs.streams_free = number("STANDIN_STREAMS_FREE", knobs.streams_free);
  return knobs;
}

DeviceKnobs device_knobs() {
  return {number("STANDIN_SET_DEVICE_MS", 0), flag("STANDIN_DEVICE_BUSY")};
}

AtcKnobs atc_knobs() {
  AtcKnobs knobs;
  knobs.slow_ms = number("STANDIN_ATC_SLOW_MS", knobs.slow_ms);
  knobs.memory_mib = number("STANDIN_ATC_MEMORY_MIB", knobs.memory_mib);
  knobs.fail = environment("STANDIN_ATC_FAIL");
  knobs.workers = number("STANDIN_ATC_WORKERS", knobs.workers);
  knobs.worker_seconds = number("STANDIN_ATC_WORKER_SECONDS", knobs.worker_seconds);
  return knobs;
}

}  // namespace standin
