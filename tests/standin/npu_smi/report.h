// What npu-smi prints, as text. Pure: the box and its processes come in.
//
// Shapes as of A2 (24.1), A3 (25.3), 310B (23.0) and 26.0; the README of the stand-in says which
// were seen and which are built after a description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/standin/device/state.h"

namespace standin::npu_smi {

// A box and who runs on it, at one moment. `processes` has one list for each device of the box.
struct Snapshot {
  device::Box box;
  std::vector<std::vector<device::Process>> processes;
};

// What a device has in use: its own share and that of all its processes, in MB.
std::uint64_t memory_used_mb(const Snapshot& snapshot, std::size_t logic_id);

// "910B2" of "Ascend910B2"; A3 shows "Ascend910" whatever the SoC.
std::string chip_name(const device::Box& box);

// `npu-smi info`: the table of chips and the table of processes.
std::string info_table(const Snapshot& snapshot);

// `npu-smi info -l` and `npu-smi info -m`.
std::string card_list(const device::Box& box);
std::string chip_map(const device::Box& box);

// `npu-smi info -t <topic> -i <card> [-c <chip>]` of board, health, proc-mem, temp, power, common,
// usages. Nothing when there is no such card or chip, or the topic is unknown or needs a chip.
std::optional<std::string> topic_text(const Snapshot& snapshot, const std::string& topic, int card,
                                      std::optional<int> chip);

}  // namespace standin::npu_smi
