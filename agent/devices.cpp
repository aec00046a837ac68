#include "agent/devices.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace mstune::agent {
namespace {

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() && !text.empty()
             ? std::optional<Number>(number)
             : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// The cells of "| a | b |", without the blanks around them.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trimmed(line);
  if (!line.starts_with('|') || !line.ends_with('|') || line.size() < 2) {
    return cells;
  }
  line = line.substr(1, line.size() - 2);
  for (;;) {
    const auto bar = line.find('|');
    cells.push_back(trimmed(line.substr(0, bar)));
    if (bar == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(bar + 1);
  }
}

std::optional<ChipPlace> place_of(const std::vector<std::string_view>& words) {
  if (words.size() < 2) {
    return std::nullopt;
  }
  const auto card = number_of<int>(words[0]);
  const auto chip = number_of<int>(words[1]);
  return card && chip ? std::optional<ChipPlace>({*card, *chip}) : std::nullopt;
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

std::string users_text(const std::vector<DeviceUser>& users) {
  std::string text;
  for (const DeviceUser& user : users) {
    text += fmt::format("{}process {} ({}", text.empty() ? "" : ", ", user.pid, user.name);
    text += user.memory_mb ? fmt::format(", {} MB)", *user.memory_mb) : ")";
  }
  return text;
}

}  // namespace mstune::agent
