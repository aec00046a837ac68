#include "agent/devices.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

constexpr const char* kA2 =
    R"(+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.0.3                 Version: 24.1.0.3                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B2               | OK            | 96.4        37                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3397 / 65536         |
+===========================+===============+====================================================+
| 1     910B2               | OK            | 96.4        37                0    / 0             |
| 0                         | 0000:01:00.0  | 0           0    / 0          3397 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 47928         | python                   | 90                      |
| 0       0                 | 47929         | a | b                    | 7                       |
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
+===========================+===============+====================================================+
)";

constexpr const char* kMap =
    "\tNPU ID                         Chip ID                        Chip Logic ID           "
    "       Chip Name                     \n"
    "\t1                              0                              1                       "
    "       Ascend 910B3\n"
    "\t0                              0                              0                       "
    "       Ascend 910B3\n"
    "\t0                              1                              -                       "
    "       Mcu                           \n";

constexpr const char* kA3Map =
    "\tNPU ID   Chip ID   Chip Logic ID   Chip Phy-ID   Chip Name   \n"
    "\t0        0         0               0             Ascend910\n"
    "\t0        1         1               1             Ascend910\n"
    "\t0        2         -               -             Mcu\n"
    "\t1        0         2               2             Ascend910\n";

TEST_CASE("devices: the map lists chips by logic id, without the management controllers") {
  const auto chips = parse_chip_map(kMap);
  REQUIRE(chips.size() == 2);
  CHECK(chips[0].logic_id == 0);
  CHECK(chips[0].place == ChipPlace{0, 0});
  CHECK(chips[0].name == "Ascend910B3");
  CHECK(chips[1].place == ChipPlace{1, 0});
}

TEST_CASE("devices: a card with two dies has two logic ids, and a column more") {
  const auto chips = parse_chip_map(kA3Map);
  REQUIRE(chips.size() == 3);
  CHECK(chips[1].place == ChipPlace{0, 1});
  CHECK(chips[1].logic_id == 1);
  CHECK(chips[2].name == "Ascend910");
}

TEST_CASE("devices: users are told from chips, and the driver's version is in the head") {
  const auto users = parse_users(kA2);
  REQUIRE(users.has_value());
  REQUIRE(users->size() == 2);
  CHECK(users->front().pid == 47928);
  CHECK(users->front().name == "python");
  CHECK(users->front().memory_mb == std::uint64_t{90});
  CHECK_FALSE(users->back().memory_mb.has_value());  // a bar in its name: not told
  CHECK(parse_driver_version(kA2) == "24.1.0.3");
}

TEST_CASE("devices: the wider table since 26.0 is read as well") {
  const auto users = parse_users(
      "| NPU  Chip | Process id | Process name | Process memory(MB) | Process id in container |\n"
      "| 3    1    | 11         | python3.1    | 0                  | NA                      |\n");
  REQUIRE(users.has_value());
  REQUIRE(users->size() == 1);
  CHECK(users->front().place == ChipPlace{3, 1});
  CHECK(users->front().memory_mb == std::uint64_t{0});
}

TEST_CASE("devices: the meters of each chip of a card") {
  const auto meters = parse_meters(
      "\tNPU ID                         : 0\n"
      "\tChip Count                     : 2\n"
      "\n"
      "\tChip ID                        : 0\n"
      "\tMemory Usage Rate(%)           : 0\n"
      "\tAicore Freq(MHZ)               : 1800\n"
      "\tAicore curFreq(MHZ)            : 800\n"
      "\tTemperature(C)                 : 37\n"
      "\tNPU Real-time Power(W)         : 168.9\n"
      "\tChip ID                        : 1\n"
      "\tAicore curFreq(MHZ)            : 1650\n"
      "\tTemperature(C)                 : 39\n"
      "\tNPU Real-time Power(W)         : -\n");
  REQUIRE(meters.size() == 2);
  CHECK(meters.at(0).temperature_c == "37");
  CHECK(meters.at(0).power_w == "168.9");
  CHECK(meters.at(0).clock_mhz == "800");
  CHECK(meters.at(1).temperature_c == "39");
  CHECK(meters.at(1).power_w.empty());
  CHECK(meters.at(1).clock_mhz == "1650");
}

TEST_CASE("devices: power that is told for the card is its only chip's") {
  const auto meters = parse_meters(
      "Chip ID : 0\nTemperature (C) : 45\n\nChip Name : mcu\nTemperature(C) : 40\n"
      "NPU Real-time Power(W) : 71.4\n");
  REQUIRE(meters.size() == 1);
  CHECK(meters.at(0).temperature_c == "45");
  CHECK(meters.at(0).power_w == "71.4");
  CHECK(parse_meters("This device does not support querying common.\n").empty());
  CHECK(parse_meters("Chip ID : x\nTemperature(C) : 1\n").empty());
}

TEST_CASE("devices: a text without a table of processes says that nobody knows") {
  CHECK_FALSE(
      parse_users("dcmi model initialized failed, because the device is used.").has_value());
  CHECK_FALSE(parse_users("").has_value());
  CHECK(parse_chip_map("dcmi model initialized failed").empty());
  CHECK(parse_driver_version("").empty());
  CHECK(parse_driver_version("Version:").empty());
}

TEST_CASE("devices: who holds memory of a device uses it, a mere context does not") {
  const std::vector<Chip> chips = parse_chip_map(kA3Map);
  const std::vector<DeviceUser> users{{{0, 0}, 1, "a", 90},
                                      {{0, 1}, 2, "context", 0},
                                      {{1, 0}, 3, "unknown", std::nullopt},
                                      {{9, 0}, 4, "elsewhere", 5}};
  CHECK(users_of({0}, chips, users).size() == 1);
  CHECK(users_of({1}, chips, users).empty());
  CHECK(users_text(users_of({0, 1, 2}, chips, users)) ==
        "process 1 (a, 90 MB), process 3 (unknown)");
}

TEST_CASE("devices: who came since counts, a context and who was there before do not") {
  const DeviceInterest interest{{0}, parse_chip_map(kA3Map), 256};
  const std::vector<DeviceUser> before{{{0, 0}, 1, "idle", 2048}};
  CHECK(newcomers(interest, before, before).empty());
  CHECK(newcomers(interest, before, {{{0, 0}, 2, "context", 255}}).empty());
  CHECK(newcomers(interest, before, {{{0, 1}, 3, "elsewhere", 2048}}).empty());
  CHECK(newcomers(interest, before, {{{0, 0}, 4, "new", 256}}).size() == 1);
  CHECK(newcomers(interest, before, {{{0, 0}, 5, "unknown", std::nullopt}}).size() == 1);
  CHECK(newcomers(interest, {{{0, 1}, 6, "moved", 90}}, {{{0, 0}, 6, "moved", 900}}).size() == 1);
}

TEST_CASE("devices: the use of AI cores is read where it is told") {
  CHECK(parse_core_usage("\tNPU ID : 0\n\tAicore Usage Rate(%)           : 37\n") == 37);
  CHECK(parse_core_usage("Aicore Usage Rate(%) : 0\n") == 0);
  CHECK_FALSE(parse_core_usage("Aicore Usage Rate(%) : NA\n").has_value());
  CHECK_FALSE(parse_core_usage("Aicpu Usage Rate(%) : 5\n").has_value());
  CHECK_FALSE(parse_core_usage("").has_value());
}

}  // namespace
}  // namespace mstune::agent
