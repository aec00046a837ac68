#include "agent/npu_smi_run.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace mstune::agent {
namespace {

constexpr std::size_t kOutputMax = std::size_t{1} << 20U;

os::SpawnRequest request_for(const std::vector<std::string>& arguments,
                             const Environment& environment) {
  os::SpawnRequest request;
  request.command = {"npu-smi"};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  Environment own = environment;
  std::string& path = own["PATH"];
  path += path.empty() ? "" : ":";
  path += "/usr/local/sbin:/usr/local/bin";  // where the driver's installer puts it
  request.environment = environment_strings(own);
  request.dies_with_parent = true;
  return request;
}

}  // namespace

NpuSmiRun::NpuSmiRun(const std::vector<std::string>& arguments, const Environment& environment,
                     TimePoint now, Duration answer_max)
    : process_(request_for(arguments, environment)),
      begun_(now),
      deadline_(after(now, answer_max)) {}

void NpuSmiRun::read_output() {
  std::array<char, 16384> buffer{};
  for (;;) {
    const os::Chunk chunk = os::read_chunk(process_.output(), buffer);
    if (chunk.bytes.empty()) {
      output_ended_ = chunk.ended;
      return;
    }
    output_.append(chunk.bytes.substr(0, kOutputMax - std::min(kOutputMax, output_.size())));
  }
}

bool NpuSmiRun::step(TimePoint now) {
  read_output();
  if (process_.has_exited()) {
    status_ = process_.reap()->status;
    read_output();  // what came between
    return true;
  }
  if (now < deadline()) {
    return false;
  }
  process_.signal_group(SIGKILL);
  return true;
}

std::vector<int> NpuSmiRun::descriptors() const {
  return {process_.exit_descriptor(), output_ended_ ? -1 : process_.output()};
}

}  // namespace mstune::agent
