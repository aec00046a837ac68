// What npu-smi says about the devices of a box: text in, values out. Pure.
//
// Written for the tables of A2, A3, 310B and the wider ones since 26.0; a line that is none of them
// is passed over. A program's device is the chip's logic id, not the number of its card.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mstune::agent {

struct ChipPlace {
  int card = 0;  // "NPU ID"
  int chip = 0;  // on its card
  friend auto operator<=>(const ChipPlace&, const ChipPlace&) = default;
};

struct Chip {
  ChipPlace place;
  int logic_id = 0;
  std::string name;  // "Ascend910B2", without blanks
};

// A process in the table of `npu-smi info`.
struct DeviceUser {
  ChipPlace place;
  std::uint64_t pid = 0;
  std::string name;                        // may be cut by npu-smi
  std::optional<std::uint64_t> memory_mb;  // empty: not told
};

// What a chip's meters show, as it is printed; empty where it is not told.
struct ChipMeters {
  std::string temperature_c;
  std::string power_w;
  std::string clock_mhz;  // of the AI cores
};

// The chips' meters in `npu-smi info -t common -i CARD`, by the chip's number on its card.
std::map<int, ChipMeters> parse_meters(std::string_view text);

// The chips of `npu-smi info -m`, by logic id; management controllers have none and are left out.
std::vector<Chip> parse_chip_map(std::string_view text);

// The processes of `npu-smi info`. Nothing when the text holds no table of processes: then nobody
// knows.
std::optional<std::vector<DeviceUser>> parse_users(std::string_view text);

// The driver's version in the head of `npu-smi info`; empty when it is not there.
std::string parse_driver_version(std::string_view text);

// Those of the users that hold memory of one of the devices (logic ids). A mere context, which has
// none, disturbs nobody.
std::vector<DeviceUser> users_of(const std::vector<int>& devices, const std::vector<Chip>& chips,
                                 const std::vector<DeviceUser>& users);

// Devices and what counts on them.
struct DeviceInterest {
  std::vector<int> devices;  // logic ids
  std::vector<Chip> chips;   // of the box
  std::uint64_t context_memory_mb = 0;
};

// True for one that holds at least so much memory, or nobody knows how much: less than that is a
// context on a chip where the process does not work.
bool may_work(const DeviceUser& user, std::uint64_t context_memory_mb);

// Those who may work on the devices now and did not hold memory there before.
std::vector<DeviceUser> newcomers(const DeviceInterest& interest,
                                  const std::vector<DeviceUser>& before,
                                  const std::vector<DeviceUser>& now);

// The use of a chip's AI cores, in percent, in `npu-smi info -t usages -i CARD -c CHIP`; nothing
// where it is not told.
std::optional<int> parse_core_usage(std::string_view text);

// "process 4711 (python, 90 MB)", joined by commas.
std::string users_text(const std::vector<DeviceUser>& users);

}  // namespace mstune::agent
