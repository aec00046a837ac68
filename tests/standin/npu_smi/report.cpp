#include "tests/standin/npu_smi/report.h"

#include <algorithm>
#include <map>

#include "tests/standin/npu_smi/table.h"

namespace standin::npu_smi {
namespace {

using device::Box;
using device::Device;
using device::Shape;

constexpr std::size_t kLabelWidth = 31;

// "\tLabel                          : value\n"
std::string field(const std::string& label, const std::string& value) {
  return "\t" + padded(label, kLabelWidth) + ": " + value + "\n";
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(whole == 0 ? 0 : part * 100 / whole);
}

int chips_of(const Box& box, int card) {
  return static_cast<int>(std::count_if(box.devices.begin(), box.devices.end(),
                                        [card](const auto& chip) { return chip.card == card; }));
}

std::optional<std::size_t> find_chip(const Box& box, int card, std::optional<int> chip) {
  const auto found =
      std::find_if(box.devices.begin(), box.devices.end(), [&](const auto& candidate) {
        return candidate.card == card && (!chip || candidate.chip == *chip);
      });
  if (found == box.devices.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - box.devices.begin());
}

// One chip that a query is about.
struct Subject {
  const Snapshot& snapshot;
  std::size_t logic_id;
  bool whole_card;  // no -c was given

  [[nodiscard]] const Device& device() const { return snapshot.box.devices[logic_id]; }
  [[nodiscard]] std::string id_fields() const {
    return field("NPU ID", std::to_string(device().card)) +
           field("Chip ID", std::to_string(device().chip));
  }
  [[nodiscard]] std::string card_fields() const {
    return field("NPU ID", std::to_string(device().card)) +
           field("Chip Count", std::to_string(chips_of(snapshot.box, device().card))) + "\n";
  }
};

std::string board(const Subject& subject) {
  const Box& box = subject.snapshot.box;
  if (!subject.whole_card) {
    return subject.id_fields() + field("Chip Type", "Ascend") + field("Chip Name", chip_name(box)) +
           field("Chip Version", "V1") + field("Board ID", "0x28") + field("PCB ID", "NA") +
           field("BOM ID", "1") + field("VDie ID", "3E2A1F94 20B0A1D2 8B6A10CC 8DE8140A 10300002") +
           field("NDie ID", "3E2A1F94 20A02412 8B6A10CC 8DE8140A 10300002");
  }
  const int card = subject.device().card;
  return field("NPU ID", std::to_string(card)) + field("Product Name", "NA") +
         field("Model", "NA") + field("Manufacturer", "Huawei") +
         field("Serial Number", "10210" + std::to_string(card)) +
         field("Software Version", box.driver_version) + field("Firmware Version", "7.5.0.5.220") +
         field("Compatibility", "OK") + field("Board ID", "0x28") + field("PCB ID", "A") +
         field("BOM ID", "1") + field("Chip Count", std::to_string(chips_of(box, card))) +
         field("Faulty Chip Count", "0");
}

std::string health(const Subject& subject) {
  const Device& chip = subject.device();
  if (subject.whole_card) {
    return field("Health", chip.health);
  }
  return field("Health Status", chip.health) + field("Error Code", chip.error_code) +
         field("Error Information", chip.error_code == "NA" ? "NA" : "node type=SOC, event state");
}

std::string process_memory(const Subject& subject) {
  if (subject.snapshot.box.shape == Shape::soc310b) {
    return "This device does not support querying proc-mem.\n";
  }
  std::string text = subject.id_fields();
  for (const auto& process : subject.snapshot.processes[subject.logic_id]) {
    text += field("Process id", std::to_string(process.pid)) + field("Process name", process.name) +
            field("Process memory(MB)", std::to_string(process.memory_mb));
  }
  return text;
}

std::string temperature(const Subject& subject) {
  return subject.card_fields() +
         field("NPU Temperature (C)", std::to_string(subject.device().temperature_c)) +
         field("Chip ID", std::to_string(subject.device().chip));
}

std::string power(const Subject& subject) {
  return subject.card_fields() + field("Power Dissipation(W)", subject.device().power_w) +
         field("Chip ID", std::to_string(subject.device().chip));
}

std::string common_of_chip(const Snapshot& snapshot, std::size_t logic_id) {
  const Device& chip = snapshot.box.devices[logic_id];
  const std::string memory = percent(memory_used_mb(snapshot, logic_id), chip.memory_total_mb);
  const bool soc310b = snapshot.box.shape == Shape::soc310b;
  return field("Chip ID", std::to_string(chip.chip)) +
         field("Memory Usage Rate(%)", soc310b ? memory : "0") +
         (soc310b ? "" : field("HBM Usage Rate(%)", memory)) +
         field("Aicore Usage Rate(%)", std::to_string(chip.aicore_percent)) +
         field("Aicore Freq(MHZ)", "1800") +
         field("Aicore curFreq(MHZ)", std::to_string(chip.clock_mhz)) +
         field("Temperature(C)", std::to_string(chip.temperature_c)) +
         field("NPU Real-time Power(W)", chip.power_w);
}

// Of a chip, or of all chips of a card.
std::string common(const Subject& subject) {
  std::string text = subject.card_fields();
  const auto& devices = subject.snapshot.box.devices;
  for (std::size_t logic_id = 0; logic_id < devices.size(); ++logic_id) {
    const bool is_meant = subject.whole_card ? devices[logic_id].card == subject.device().card
                                             : logic_id == subject.logic_id;
    if (is_meant) {
      text += common_of_chip(subject.snapshot, logic_id);
    }
  }
  return text;
}

std::string usages(const Subject& subject) {
  const Device& chip = subject.device();
  const std::string total = std::to_string(chip.memory_total_mb);
  const std::string rate =
      percent(memory_used_mb(subject.snapshot, subject.logic_id), chip.memory_total_mb);
  const std::string kind = subject.snapshot.box.shape == Shape::soc310b ? "Memory" : "HBM";
  return subject.id_fields() + field(kind + " Capacity(MB)", total) +
         field(kind + " Usage Rate(%)", rate) + field("Hugepages Total(page)", "0") +
         field("Hugepages Usage Rate(%)", "0") +
         field("Aicore Usage Rate(%)", std::to_string(chip.aicore_percent)) +
         field("Aicpu Usage Rate(%)", "0") + field("Ctrlcpu Usage Rate(%)", "0") +
         field(kind + " Bandwidth Usage Rate(%)", "0");
}

struct Topic {
  bool needs_chip;
  std::string (*text)(const Subject&);
};

const std::map<std::string, Topic>& topics() {
  static const std::map<std::string, Topic> kTable{
      {"board", {false, board}},
      {"health", {false, health}},
      {"proc-mem", {true, process_memory}},
      {"temp", {false, temperature}},
      {"power", {false, power}},
      {"common", {false, common}},
      {"usages", {true, usages}},
  };
  return kTable;
}

}  // namespace

std::uint64_t memory_used_mb(const Snapshot& snapshot, std::size_t logic_id) {
  std::uint64_t used = snapshot.box.devices[logic_id].memory_base_mb;
  for (const auto& process : snapshot.processes[logic_id]) {
    used += process.memory_mb;
  }
  return used;
}

std::string chip_name(const Box& box) {
  const std::string family = "Ascend";
  if (box.shape == Shape::a3) {
    return family + "910";
  }
  return box.soc_version.compare(0, family.size(), family) == 0
             ? box.soc_version.substr(family.size())
             : box.soc_version;
}

std::string card_list(const Box& box) {
  std::string cards;
  int count = 0;
  for (std::size_t logic_id = 0; logic_id < box.devices.size(); ++logic_id) {
    const int card = box.devices[logic_id].card;
    if (find_chip(box, card, std::nullopt) == logic_id) {
      ++count;
      cards += "\n" + field("NPU ID", std::to_string(card)) +
               field("Chip Count", std::to_string(chips_of(box, card)));
    }
  }
  return field("Total Count", std::to_string(count)) + cards;
}

std::string chip_map(const Box& box) {
  constexpr std::size_t width = 30;
  const bool physical = box.shape == Shape::a3;
  const auto line = [&](const std::string& card, const std::string& chip, const std::string& logic,
                        const std::string& phy, const std::string& name) {
    return "\t" + padded(card, width) + " " + padded(chip, width) + " " + padded(logic, width) +
           " " + (physical ? padded(phy, width) + " " : "") + name + "\n";
  };
  std::string text =
      line("NPU ID", "Chip ID", "Chip Logic ID", "Chip Phy-ID", padded("Chip Name", width));
  for (std::size_t logic_id = 0; logic_id < box.devices.size(); ++logic_id) {
    const Device& chip = box.devices[logic_id];
    const std::string card = std::to_string(chip.card);
    const std::string id = std::to_string(logic_id);
    text += line(card, std::to_string(chip.chip), id, id,
                 physical ? chip_name(box) : "Ascend " + chip_name(box));
    const bool last = logic_id + 1 == box.devices.size();
    if (last || box.devices[logic_id + 1].card != chip.card) {
      // The management controller of a card has a line, and no id that a program could use.
      text += line(card, std::to_string(chip.chip + 1), "-", "-", padded("Mcu", width));
    }
  }
  return text;
}

std::optional<std::string> topic_text(const Snapshot& snapshot, const std::string& topic, int card,
                                      std::optional<int> chip) {
  const auto found = topics().find(topic);
  const auto logic_id = find_chip(snapshot.box, card, chip);
  if (found == topics().end() || !logic_id || (found->second.needs_chip && !chip)) {
    return std::nullopt;
  }
  return found->second.text({snapshot, *logic_id, !chip});
}

}  // namespace standin::npu_smi
