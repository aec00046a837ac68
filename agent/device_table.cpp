#include "agent/device_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "agent/devices.h"
#include "agent/npu_smi_text.h"

namespace mstune::agent {
namespace {

// The table of chips, which stands above the one of processes. Two lines a chip:
// "| 0  910B2 | OK | 96.4  37 … |" and "| 0 | 0000:C1:00.0 | … |".
class Reader {
 public:
  void take(std::string_view line) {
    const auto cells = cells_of(line);
    if (cells.size() != 3 || cells[1].empty()) {
      return;
    }
    const auto words = words_of(cells[0]);
    const auto number = words.empty() ? std::nullopt : number_of<int>(words[0]);
    if (!number) {
      return;  // titles
    }
    const bool is_first = words.size() == 2 && !number_of<int>(words[1]);
    if (is_first) {
      begin(*number, words[1], cells);
    } else if (pending_) {
      pending_->id = static_cast<int>(devices_.size());
      devices_.push_back(std::move(*pending_));
      places_.push_back({card_, *number});
      pending_.reset();
    }
  }

  void take(const DeviceUser& user) {
    const auto found = std::find(places_.begin(), places_.end(), user.place);
    if (found != places_.end()) {
      devices_[static_cast<std::size_t>(found - places_.begin())].holders.push_back(
          {user.pid, user.name, user.memory_mb.value_or(0)});
    }
  }

  std::vector<DeviceFacts> finish() && { return std::move(devices_); }

 private:
  void begin(int card, std::string_view name, const std::vector<std::string_view>& cells) {
    card_ = card;
    pending_ = DeviceFacts{};
    pending_->name = name;
    pending_->health = words_of(cells[1]).front();
    if (const auto figures = words_of(cells[2]); figures.size() >= 2) {
      pending_->power_w = figures[0];
      pending_->temperature_c = figures[1];
    }
  }

  std::vector<DeviceFacts> devices_;
  std::vector<ChipPlace> places_;  // where each device is
  std::optional<DeviceFacts> pending_;
  int card_ = 0;
};

}  // namespace

std::vector<DeviceFacts> parse_device_table(std::string_view text) {
  Reader reader;
  for (const std::string_view line : lines_of(text)) {
    reader.take(line);
  }
  for (const DeviceUser& user : parse_users(text).value_or(std::vector<DeviceUser>())) {
    reader.take(user);
  }
  return std::move(reader).finish();
}

}  // namespace mstune::agent
