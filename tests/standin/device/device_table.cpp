#include "tests/standin/device/device_table.h"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tests/standin/device/process_table.h"
#include "tests/standin/device/state.h"
#include "tests/standin/device/state_directory.h"

namespace {

using standin::device::Box;
using standin::device::Device;
using standin::device::ProcessTable;

constexpr std::uint64_t kMegabyte = 1024 * 1024;

// A state file that cannot be read is a mistake of the test that wrote it, and must not look like
// two healthy devices: there are none then.
Box box() {
  try {
    return standin::device::load_box(standin::device::state_directory());
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "stand-in: %s\n", wrong.what());
    Box none;
    none.soc_version.clear();
    return none;
  }
}

bool exists(const Box& current, int logic_id) {
  return logic_id >= 0 && static_cast<std::size_t>(logic_id) < current.devices.size();
}

ProcessTable table() {
  return ProcessTable(standin::device::state_directory());
}

}  // namespace

extern "C" {

int standin_device_count(void) {
  return static_cast<int>(box().devices.size());
}

const char* standin_soc_version(void) {
  static const std::string kVersion = box().soc_version;
  return kVersion.c_str();
}

int standin_device_attach(int logic_id) {
  return exists(box(), logic_id) && table().attach(logic_id) ? 0 : -1;
}

void standin_device_detach(int logic_id) {
  table().detach(logic_id);
}

void standin_device_set_memory(int logic_id, uint64_t bytes_of_this_process) {
  table().set_bytes(logic_id, bytes_of_this_process);
}

uint64_t standin_device_memory_total(int logic_id) {
  const Box current = box();
  return exists(current, logic_id)
             ? current.devices[static_cast<std::size_t>(logic_id)].memory_total_mb * kMegabyte
             : 0;
}

uint64_t standin_device_memory_used(int logic_id) {
  const Box current = box();
  if (!exists(current, logic_id)) {
    return 0;
  }
  const Device& device = current.devices[static_cast<std::size_t>(logic_id)];
  std::uint64_t bytes = device.memory_base_mb * kMegabyte;
  for (const auto& process : device.foreign) {
    bytes += process.memory_mb * kMegabyte;
  }
  for (const auto& usage : table().usages(logic_id)) {
    bytes += usage.bytes;
  }
  return bytes;
}

int standin_device_processes(int logic_id) {
  return static_cast<int>(table().usages(logic_id).size());
}

}  // extern "C"
