#include "agent/device_table.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace mstune::agent {
namespace {

using Words = std::vector<std::string_view>;

// The parts of "| a  b | c |" between the bars, each as its words; empty for another line.
std::vector<Words> cells_of(std::string_view line) {
  std::vector<Words> cells;
  if (!line.starts_with('|')) {
    return cells;
  }
  line.remove_prefix(1);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  while (!line.empty()) {
    const auto end = std::min(line.find('|'), line.size());
    std::string_view cell = line.substr(0, end);
    Words words;
    while (true) {
      cell.remove_prefix(std::min(cell.find_first_not_of(" \t\r"), cell.size()));
      if (cell.empty()) {
        break;
      }
      words.push_back(cell.substr(0, cell.find_first_of(" \t\r")));
      cell.remove_prefix(words.back().size());
    }
    cells.push_back(std::move(words));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure != std::errc{} || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return number;
}

struct Chip {
  int card = 0;
  int chip = 0;
};

class Reader {
 public:
  void take(std::string_view line) {
    const std::vector<Words> cells = cells_of(line);
    if (cells.size() == 3 && !cells[0].empty() && !cells[1].empty()) {
      take_chip(cells);
    } else if (cells.size() >= 4) {
      take_process(cells);
    }
  }

  std::vector<DeviceFacts> finish() && { return std::move(devices_); }

 private:
  // Two lines a chip: "| 0  910B2 | OK | 96.4  37 … |" and "| 0 | 0000:C1:00.0 | … |".
  void take_chip(const std::vector<Words>& cells) {
    const auto number = number_in<int>(cells[0].front());
    if (!number) {
      return;  // titles
    }
    const bool is_first = cells[0].size() == 2 && !number_in<int>(cells[0][1]);
    if (is_first) {
      pending_ = DeviceFacts{};
      pending_->name = cells[0][1];
      pending_->health = cells[1].front();
      if (cells[2].size() >= 2) {
        pending_->power_w = cells[2][0];
        pending_->temperature_c = cells[2][1];
      }
      card_ = *number;
    } else if (pending_) {
      pending_->id = static_cast<int>(devices_.size());
      devices_.push_back(std::move(*pending_));
      chips_.push_back({card_, *number});
      pending_.reset();
    }
  }

  // "| 0  0 | 47928 | python | 90 |"; memory may be missing: a context only.
  void take_process(const std::vector<Words>& cells) {
    if (cells[0].size() != 2 || cells[1].size() != 1) {
      return;
    }
    const auto card = number_in<int>(cells[0][0]);
    const auto chip = number_in<int>(cells[0][1]);
    const auto pid = number_in<std::uint64_t>(cells[1][0]);
    const auto found = std::find_if(chips_.begin(), chips_.end(), [&](const Chip& known) {
      return known.card == card && known.chip == chip;
    });
    if (!pid || found == chips_.end()) {
      return;
    }
    DeviceHolder holder;
    holder.pid = *pid;
    for (const std::string_view word : cells[2]) {
      holder.name += (holder.name.empty() ? "" : " ") + std::string(word);
    }
    if (!cells[3].empty()) {
      holder.memory_mb = number_in<std::uint64_t>(cells[3][0]).value_or(0);
    }
    devices_[static_cast<std::size_t>(found - chips_.begin())].holders.push_back(std::move(holder));
  }

  std::vector<DeviceFacts> devices_;
  std::vector<Chip> chips_;  // where each device is
  std::optional<DeviceFacts> pending_;
  int card_ = 0;
};

}  // namespace

std::vector<DeviceFacts> parse_device_table(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    reader.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(reader).finish();
}

}  // namespace mstune::agent
