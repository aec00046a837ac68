// npu-smi of the stand-in: shows what state.json says and who runs on the devices.
#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "tests/standin/device/process_table.h"
#include "tests/standin/device/state.h"
#include "tests/standin/device/state_directory.h"
#include "tests/standin/npu_smi/report.h"

namespace {

using standin::npu_smi::Snapshot;

// What was asked for. `mode` is "-v", "info", "-l", "-m" or "-t".
struct Query {
  std::string mode;
  std::string topic;
  std::optional<int> card;
  std::optional<int> chip;
};

std::optional<int> number(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(value) : std::nullopt;
}

// Nothing when the arguments make no sense.
std::optional<Query> parse(const std::vector<std::string>& arguments) {
  Query query;
  if (arguments.size() == 1 && arguments[0] == "-v") {
    query.mode = "-v";
    return query;
  }
  if (arguments.empty() || arguments[0] != "info") {
    return std::nullopt;
  }
  query.mode = "info";
  for (std::size_t index = 1; index < arguments.size(); ++index) {
    const std::string& flag = arguments[index];
    if (flag == "-l" || flag == "-m") {
      query.mode = flag;
      continue;
    }
    if (++index == arguments.size()) {
      return std::nullopt;
    }
    if (flag == "-t") {
      query.mode = flag;
      query.topic = arguments[index];
    } else if (flag == "-i") {
      query.card = number(arguments[index]);
    } else if (flag == "-c") {
      query.chip = number(arguments[index]);
    } else {
      return std::nullopt;
    }
  }
  return query.mode != "-t" || query.card ? std::optional(query) : std::nullopt;
}

Snapshot take_snapshot() {
  constexpr std::uint64_t megabyte = 1024 * 1024;
  const std::string directory = standin::device::state_directory();
  Snapshot snapshot{standin::device::load_box(directory), {}};
  const standin::device::ProcessTable table(directory);
  for (std::size_t logic_id = 0; logic_id < snapshot.box.devices.size(); ++logic_id) {
    auto processes = snapshot.box.devices[logic_id].foreign;
    for (const auto& usage : table.usages(static_cast<int>(logic_id))) {
      processes.push_back({usage.pid, usage.name, usage.bytes / megabyte});
    }
    snapshot.processes.push_back(std::move(processes));
  }
  return snapshot;
}

std::optional<std::string> answer(const Query& query, const Snapshot& snapshot) {
  if (query.mode == "-v") {
    return "npu-smi version: " + snapshot.box.driver_version + "\n";
  }
  if (query.mode == "-l") {
    return standin::npu_smi::card_list(snapshot.box);
  }
  if (query.mode == "-m") {
    return standin::npu_smi::chip_map(snapshot.box);
  }
  if (query.mode == "-t") {
    return standin::npu_smi::topic_text(snapshot, query.topic, *query.card, query.chip);
  }
  return standin::npu_smi::info_table(snapshot);
}

int run(const std::vector<std::string>& arguments) {
  const auto query = parse(arguments);
  if (!query) {
    std::fputs("Usage: npu-smi info [-l | -m | -t type -i id [-c chip_id]] | npu-smi -v\n", stderr);
    return 1;
  }
  const Snapshot snapshot = take_snapshot();
  if (!snapshot.box.failure.empty()) {
    std::printf("%s\n", snapshot.box.failure.c_str());
    return 1;
  }
  const auto text = answer(*query, snapshot);
  std::fputs(text ? text->c_str() : "Error parameter of -i\n", stdout);
  return text ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "npu-smi of the stand-in: %s\n", wrong.what());
    return 1;
  }
}
