// What state.json says about the box: its devices, and the processes that a test adds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace standin::device {

// A process as the table of npu-smi shows it.
struct Process {
  std::int64_t pid = 0;
  std::string name;
  std::uint64_t memory_mb = 0;  // 0: only a context
};

struct Device {
  int card = 0;  // "NPU ID"
  int chip = 0;  // "Chip ID" on its card
  std::string health = "OK";
  std::string power_w = "96.4";  // "-" on the second die of a card
  int temperature_c = 37;
  int clock_mhz = 800;  // of the AI cores; 1800 at most
  int aicore_percent = 0;
  std::string bus_id = "NA";
  std::uint64_t memory_total_mb = 65536;
  std::uint64_t memory_base_mb = 3397;  // taken before any process runs
  std::string error_code = "NA";
  std::vector<Process> foreign;  // processes of others, which nobody here started
};

// How npu-smi prints.
enum class Shape { a2, a3, soc310b, v26 };

struct Box {
  Shape shape = Shape::a2;
  std::string driver_version = "24.1.0.3";
  std::string soc_version = "Ascend910B2";
  std::string failure;  // not empty: npu-smi prints this and fails
  std::vector<Device> devices;
};

// Two devices of an A2.
Box default_box();

// Reads the text of a state.json; absent fields have the defaults of `shape`. Throws
// std::runtime_error with the reason when it is no JSON or a field has a wrong type or value.
Box parse_box(const std::string& json);

// The box of a state directory: default_box() when it holds no state.json.
Box load_box(const std::string& directory);

}  // namespace standin::device
