// Writes the STEP records, as GE's multistream_tune recorder does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace standin {

// The first 128 bytes, with '_' for what is not a letter, a digit or one of ":_.-".
std::string recorded_mode(const std::string& attribute);

// From make to finish: one record. A scope that is destroyed unfinished records an abort (ret
// 4294967295, nothing synchronised). A scope inside another of the same thread records nothing, and
// so does one without a mode. Step numbers count per model id in the process and are never reset.
class StepScope {
 public:
  StepScope(const char* api, const std::string& mode, std::uint32_t model_id);
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

  // `cost_us`: recorded instead of the measured time (deterministic mode).
  void finish(std::uint32_t ret, std::uint64_t sync_us, std::int32_t sync_ret,
              std::optional<std::uint64_t> cost_us);

 private:
  const char* api_;
  std::string mode_;
  std::uint32_t model_id_;
  std::uint64_t step_ = 0;
  std::uint64_t start_us_ = 0;
  bool active_;
};

}  // namespace standin
