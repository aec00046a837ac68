#include "agent/devices.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/npu_smi_text.h"

namespace mstune::agent {
namespace {

std::optional<ChipPlace> place_of(const std::vector<std::string_view>& words) {
  if (words.size() < 2) {
    return std::nullopt;
  }
  const auto card = number_of<int>(words[0]);
  const auto chip = number_of<int>(words[1]);
  return card && chip ? std::optional<ChipPlace>({*card, *chip}) : std::nullopt;
}

// Small letters without blanks: labels are written in several ways.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter != ' ' && letter != '\t' && letter != '\r') {
      result += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  return result;
}

// What is no number ("NA", "-") is not told.
void take_meter(std::string_view label, std::string_view value, ChipMeters& meters) {
  if (!number_of<double>(value)) {
    return;
  }
  if (label == "temperature(c)") {
    meters.temperature_c = value;
  } else if (label == "npureal-timepower(w)") {
    meters.power_w = value;
  } else if (label == "aicorecurfreq(mhz)") {
    meters.clock_mhz = value;
  }
}

}  // namespace

std::vector<Chip> parse_chip_map(std::string_view text) {
  std::vector<Chip> chips;
  bool has_physical_id = false;
  for (const std::string_view line : lines_of(text)) {
    has_physical_id = has_physical_id || line.find("Phy-ID") != std::string_view::npos;
    const auto words = words_of(line);
    const auto place = place_of(words);
    const auto logic_id = words.size() > 2 ? number_of<int>(words[2]) : std::nullopt;
    if (!place || !logic_id) {
      continue;
    }
    Chip chip{*place, *logic_id, {}};
    for (std::size_t at = has_physical_id ? 4 : 3; at < words.size(); ++at) {
      chip.name += words[at];
    }
    chips.push_back(std::move(chip));
  }
  std::sort(chips.begin(), chips.end(),
            [](const Chip& left, const Chip& right) { return left.logic_id < right.logic_id; });
  return chips;
}

std::optional<std::vector<DeviceUser>> parse_users(std::string_view text) {
  constexpr std::string_view kTitle = "Process id";
  if (text.find(kTitle) == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<DeviceUser> users;
  for (const std::string_view line : lines_of(text.substr(text.find(kTitle)))) {
    // Card and chip, process id, name, memory; since 26.0 also the id in its container.
    const auto cells = cells_of(line);
    if (cells.size() < 4) {
      continue;
    }
    const auto place = place_of(words_of(cells[0]));
    const auto pid = number_of<std::uint64_t>(cells[1]);
    if (place && pid) {
      users.push_back({*place, *pid, std::string(cells[2]), number_of<std::uint64_t>(cells[3])});
    }
  }
  return users;
}

std::map<int, ChipMeters> parse_meters(std::string_view text) {
  std::map<int, ChipMeters> meters;
  ChipMeters of_card;  // drivers that measure the card tell it behind the chips, as the "mcu"'s
  ChipMeters* current = nullptr;
  for (const std::string_view line : lines_of(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string label = squeezed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (label == "chipid") {
      const auto chip = number_of<int>(value);
      current = chip ? &meters[*chip] : nullptr;
    } else if (label == "chipname" && squeezed(value) == "mcu") {
      current = &of_card;
    } else if (current != nullptr) {
      take_meter(label, value, *current);
    }
  }
  if (meters.size() == 1 && meters.begin()->second.power_w.empty()) {
    meters.begin()->second.power_w = of_card.power_w;
  }
  return meters;
}

std::string parse_driver_version(std::string_view text) {
  constexpr std::string_view kLabel = "Version:";
  const auto found = text.find(kLabel);
  if (found == std::string_view::npos) {
    return {};
  }
  const std::string_view line = text.substr(found, text.find('\n', found) - found);
  const auto words = words_of(line);
  return words.size() > 1 && words[1] != "|" ? std::string(words[1]) : std::string();
}

std::vector<DeviceUser> users_of(const std::vector<int>& devices, const std::vector<Chip>& chips,
                                 const std::vector<DeviceUser>& users) {
  std::vector<DeviceUser> result;
  for (const DeviceUser& user : users) {
    const bool on_them = std::any_of(chips.begin(), chips.end(), [&](const Chip& chip) {
      return chip.place == user.place &&
             std::find(devices.begin(), devices.end(), chip.logic_id) != devices.end();
    });
    if (on_them && user.memory_mb != std::uint64_t{0}) {
      result.push_back(user);
    }
  }
  return result;
}

bool may_work(const DeviceUser& user, std::uint64_t context_memory_mb) {
  return !user.memory_mb || *user.memory_mb >= context_memory_mb;
}

std::vector<DeviceUser> newcomers(const DeviceInterest& interest,
                                  const std::vector<DeviceUser>& before,
                                  const std::vector<DeviceUser>& now) {
  std::vector<DeviceUser> found = users_of(interest.devices, interest.chips, now);
  std::erase_if(found, [&](const DeviceUser& user) {
    return !may_work(user, interest.context_memory_mb) ||
           std::any_of(before.begin(), before.end(), [&](const DeviceUser& known) {
             return known.pid == user.pid && known.place == user.place;
           });
  });
  return found;
}

std::optional<int> parse_core_usage(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos &&
        squeezed(line.substr(0, colon)) == "aicoreusagerate(%)") {
      return number_of<int>(trimmed(line.substr(colon + 1)));
    }
  }
  return std::nullopt;
}

std::string users_text(const std::vector<DeviceUser>& users) {
  std::string text;
  for (const DeviceUser& user : users) {
    text += fmt::format("{}process {} ({}", text.empty() ? "" : ", ", user.pid, user.name);
    text += user.memory_mb ? fmt::format(", {} MB)", *user.memory_mb) : ")";
  }
  return text;
}

}  // namespace mstune::agent
