// The two tables of `npu-smi info`.
#include <numeric>

#include "tests/standin/npu_smi/report.h"
#include "tests/standin/npu_smi/table.h"

namespace standin::npu_smi {
namespace {

using device::Box;
using device::Device;
using device::Process;
using device::Shape;

// Characters between the bars, and where the parts of a cell begin.
struct Layout {
  std::vector<std::size_t> chips;      // name, health, measurements
  std::vector<std::size_t> processes;  // chip, pid, name, memory and, since 26.0, pid in container
  std::size_t number_width;            // "NPU" in the table of chips
  std::size_t power_width;
  std::size_t page_width;  // the first figure of "used / total" pages
  std::size_t version_begin;
  std::size_t name_max;  // longer process names are cut
};

Layout layout_of(Shape shape) {
  constexpr std::size_t uncut = 64;
  switch (shape) {
    case Shape::soc310b:
      return {{31, 17, 54}, {31, 17, 26, 27}, 8, 13, 6, 49, uncut};
    case Shape::v26:
      return {{27, 15, 78}, {27, 15, 26, 25, 25}, 6, 12, 5, 33, 9};
    case Shape::a2:
    case Shape::a3:
      break;
  }
  return {{27, 15, 52}, {27, 15, 26, 25}, 6, 12, 5, 33, uncut};
}

// The width of the whole table between its outer bars.
std::vector<std::size_t> one_cell(const Layout& layout) {
  return {std::accumulate(layout.chips.begin(), layout.chips.end(), layout.chips.size() - 1)};
}

std::string fraction(std::uint64_t used, std::uint64_t total, std::size_t width) {
  return padded(std::to_string(used), width) + "/ " + std::to_string(total);
}

constexpr std::size_t kMiddleWidth = 18;  // temperature, DDR memory
constexpr std::size_t kMemoryWidth = 5;   // the first figure of "used / total" megabytes

std::string header(const Box& box, const Layout& layout) {
  const bool soc310b = box.shape == Shape::soc310b;
  std::string second_number = padded("Chip", layout.number_width);
  if (box.shape == Shape::a3) {
    second_number += "Phy-ID";
  } else if (soc310b) {
    second_number += "Device";
  }
  const std::string memory = padded("Memory-Usage(MB)", kMiddleWidth);
  const std::string version = "npu-smi " + box.driver_version;
  return rule(one_cell(layout), '-') +
         row(one_cell(layout),
             {padded(version, layout.version_begin) + "Version: " + box.driver_version}) +
         rule(layout.chips, '-') +
         row(layout.chips, {padded("NPU", layout.number_width) + "Name", "Health",
                            padded("Power(W)", layout.power_width) +
                                padded("Temp(C)", kMiddleWidth) + "Hugepages-Usage(page)"}) +
         row(layout.chips, {second_number, "Bus-Id",
                            padded("AICore(%)", layout.power_width) + memory +
                                (soc310b ? "" : "HBM-Usage(MB)")}) +
         rule(layout.chips, '=');
}

std::string chip_rows(const Snapshot& snapshot, std::size_t logic_id, const Layout& layout) {
  const Device& chip = snapshot.box.devices[logic_id];
  const Shape shape = snapshot.box.shape;
  const bool soc310b = shape == Shape::soc310b;
  std::string second_number = padded(std::to_string(chip.chip), layout.number_width);
  if (shape == Shape::a3 || soc310b) {
    second_number += std::to_string(logic_id);
  }
  const std::string memory =
      fraction(memory_used_mb(snapshot, logic_id), chip.memory_total_mb, kMemoryWidth);
  const std::string memories =
      soc310b ? memory : padded(fraction(0, 0, kMemoryWidth), kMiddleWidth) + memory;
  const std::uint64_t pages = soc310b ? 15 : 0;
  return row(layout.chips,
             {padded(std::to_string(chip.card), layout.number_width) + chip_name(snapshot.box),
              chip.health,
              padded(chip.power_w, layout.power_width) +
                  padded(std::to_string(chip.temperature_c), kMiddleWidth) +
                  fraction(pages, pages, layout.page_width)}) +
         row(layout.chips,
             {second_number, chip.bus_id,
              padded(std::to_string(chip.aicore_percent), layout.power_width) + memories});
}

std::string process_row(const Device& chip, const Process& process, const Layout& layout) {
  constexpr std::size_t number_width = 8;
  std::vector<std::string> cells{
      padded(std::to_string(chip.card), number_width) + std::to_string(chip.chip),
      std::to_string(process.pid), process.name.substr(0, layout.name_max),
      std::to_string(process.memory_mb), "NA"};
  return row(layout.processes, cells);
}

// The last chip of its card: the card's block ends behind it.
bool ends_card(const Box& box, std::size_t logic_id) {
  return logic_id + 1 == box.devices.size() ||
         box.devices[logic_id + 1].card != box.devices[logic_id].card;
}

std::string process_table(const Snapshot& snapshot, const Layout& layout) {
  std::vector<std::string> titles{"NPU     Chip", "Process id", "Process name",
                                  "Process memory(MB)", "Process id in container"};
  std::string text =
      rule(layout.chips, '-') + row(layout.processes, titles) + rule(layout.chips, '=');
  std::string of_card;
  for (std::size_t logic_id = 0; logic_id < snapshot.box.devices.size(); ++logic_id) {
    const Device& chip = snapshot.box.devices[logic_id];
    for (const auto& process : snapshot.processes[logic_id]) {
      of_card += process_row(chip, process, layout);
    }
    if (!ends_card(snapshot.box, logic_id)) {
      continue;
    }
    if (of_card.empty()) {
      of_card =
          row(one_cell(layout), {"No running processes found in NPU " + std::to_string(chip.card)});
    }
    text += of_card + rule(layout.chips, '=');
    of_card.clear();
  }
  return text;
}

}  // namespace

std::string info_table(const Snapshot& snapshot) {
  const Layout layout = layout_of(snapshot.box.shape);
  std::string text = header(snapshot.box, layout);
  for (std::size_t logic_id = 0; logic_id < snapshot.box.devices.size(); ++logic_id) {
    text += chip_rows(snapshot, logic_id, layout);
    text +=
        ends_card(snapshot.box, logic_id) ? rule(layout.chips, '=') : rule(one_cell(layout), '-');
  }
  return text + process_table(snapshot, layout);
}

}  // namespace standin::npu_smi
