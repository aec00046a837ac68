#include "agent/npu_smi.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "common/error.h"

namespace mstune::agent {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(20);
constexpr Duration kOutputPeriod = std::chrono::milliseconds(50);
constexpr std::size_t kOutputMax = std::size_t{1} << 20U;

os::Process start_npu_smi(std::vector<std::string> arguments, const Environment& environment) {
  os::SpawnRequest request;
  request.command = {"npu-smi"};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  Environment own = environment;
  std::string& path = own["PATH"];
  path += path.empty() ? "" : ":";
  path += "/usr/local/sbin:/usr/local/bin";  // where the driver's installer puts it
  request.environment = environment_strings(own);
  request.dies_with_parent = true;
  return os::Process(request);
}

// True when nothing more will come.
bool read_output(os::Process& process, std::string& output) {
  std::array<char, 16384> buffer{};
  for (;;) {
    const os::Chunk chunk = os::read_chunk(process.output(), buffer);
    if (chunk.bytes.empty()) {
      return chunk.ended;
    }
    output.append(chunk.bytes.substr(0, kOutputMax - std::min(kOutputMax, output.size())));
  }
}

TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

// Its output; an environment error when it is not there, fails, or takes too long.
std::string output_of(std::vector<std::string> arguments, const Environment& environment) {
  os::Process process = start_npu_smi(std::move(arguments), environment);
  std::string output;
  const TimePoint deadline = steady_now() + kAnswerMax;
  while (!process.has_exited() && steady_now() < deadline) {
    os::wait_readable(process.output(), kOutputPeriod);
    read_output(process, output);
  }
  const bool ended = process.has_exited();
  if (!ended) {
    process.signal_group(SIGKILL);
    throw environment_error("agent.npu_smi_slow", "npu-smi did not answer within {}",
                            duration_text(std::chrono::duration<double>(kAnswerMax).count()));
  }
  const int status = process.reap()->status;
  read_output(process, output);
  if (status != 0) {
    throw environment_error("agent.npu_smi_failed", "npu-smi failed ({}): {}",
                            os::exit_text(status), output.substr(0, 200));
  }
  return output;
}

}  // namespace

BoxFacts look_at_box(const Environment& environment) {
  BoxFacts facts;
  try {
    facts.chips = parse_chip_map(output_of({"info", "-m"}, environment));
    facts.driver_version = parse_driver_version(output_of({"info"}, environment));
  } catch (const Error& error) {
    facts.unknown = error.message();
  }
  return facts;
}

void UsageLooks::ask(TimePoint when) {
  if (!run_ && due_ == kNever) {
    due_ = when;
  }
}

void UsageLooks::begin(TimePoint now) {
  due_ = kNever;
  try {
    run_.emplace(Run{start_npu_smi({"info"}, environment_), now, {}, false});
  } catch (const Error&) {
    last_ = UsageLook{now, std::nullopt};
  }
}

void UsageLooks::step(TimePoint now) {
  if (now >= due_) {
    begin(now);
  }
  if (!run_) {
    return;
  }
  run_->output_ended = read_output(run_->process, run_->output);
  const bool ended = run_->process.has_exited();
  if (!ended && now < after(run_->begun, kAnswerMax)) {
    return;
  }
  UsageLook look{run_->begun, std::nullopt};
  if (ended && run_->process.reap()->status == 0) {
    read_output(run_->process, run_->output);
    look.users = parse_users(run_->output);
  }
  last_ = std::move(look);
  run_.reset();
}

std::vector<int> UsageLooks::descriptors() const {
  if (!run_) {
    return {};
  }
  return {run_->process.exit_descriptor(), run_->output_ended ? -1 : run_->process.output()};
}

TimePoint UsageLooks::deadline() const {
  return run_ ? after(run_->begun, kAnswerMax) : due_;
}

}  // namespace mstune::agent
