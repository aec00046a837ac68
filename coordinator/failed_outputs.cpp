#include "coordinator/failed_outputs.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

// Errors stand at the end; one output says what the others would say again.
constexpr std::streamoff kEndBytes = 16 * 1024;
constexpr std::size_t kOutputsMax = 32;

void add_end_of(const fs::path& path, std::vector<std::string>& outputs) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || outputs.size() >= kOutputsMax) {
    return;
  }
  const std::streamoff size = file.tellg();
  const std::streamoff length = std::min(size, kEndBytes);
  std::string text(static_cast<std::size_t>(length), '\0');
  file.seekg(size - length);
  file.read(text.data(), length);
  if (file && !text.empty()) {
    outputs.push_back(std::move(text));
  }
}

}  // namespace

std::vector<std::string> failed_outputs(const RunDirectory& run, const fs::path& om_directory,
                                        const std::vector<EvaluatedTrial>& trials) {
  std::vector<std::string> outputs;
  std::error_code failure;
  if (!om_directory.empty()) {
    for (fs::directory_iterator at(om_directory, failure), end; !failure && at != end;
         at.increment(failure)) {
      const std::string name = at->path().filename().string();
      if (name.starts_with("compile_") && name.ends_with(".log")) {
        add_end_of(at->path(), outputs);
      }
    }
  }
  for (const EvaluatedTrial& trial : trials) {
    if (!trial.evaluation.valid) {
      add_end_of(run.trial_directory(trial.trial) / "stdout.log", outputs);
    }
  }
  return outputs;
}

}  // namespace mstune::coordinator
