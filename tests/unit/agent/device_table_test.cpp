#include "agent/device_table.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

constexpr std::string_view kA2 =
    R"(+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.0.3                 Version: 24.1.0.3                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B2               | OK            | 96.4        37                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3397 / 65536         |
+===========================+===============+====================================================+
| 1     910B2               | Alarm         | 101.0       58                0    / 0             |
| 0                         | 0000:01:00.0  | 0           0    / 0          3397 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 47928         | python                   | 90                      |
| 0       0                 | 961           | my program               |                         |
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
+===========================+===============+====================================================+
)";

TEST_CASE("device table: an A2 with its processes") {
  const auto devices = parse_device_table(kA2);
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].id == 0);
  CHECK(devices[0].name == "910B2");
  CHECK(devices[0].health == "OK");
  CHECK(devices[0].power_w == "96.4");
  CHECK(devices[0].temperature_c == "37");
  REQUIRE(devices[0].holders.size() == 2);
  CHECK(devices[0].holders[0].pid == 47928);
  CHECK(devices[0].holders[0].name == "python");
  CHECK(devices[0].holders[0].memory_mb == 90);
  CHECK(devices[0].holders[1].name == "my program");
  CHECK(devices[0].holders[1].memory_mb == 0);
  CHECK(devices[1].health == "Alarm");
  CHECK(devices[1].holders.empty());
}

TEST_CASE("device table: the dies of an A3 are devices of their own") {
  const auto devices = parse_device_table(
      "| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM |\n"
      "| 0     Ascend910           | OK            | 168.9       36                0    / 0 |\n"
      "| 0     0                   | 0000:9D:00.0  | 0           0    / 0          3119 / 65536 |\n"
      "| 0     Ascend910           | OK            | -           37                0    / 0 |\n"
      "| 1     1                   | 0000:9F:00.0  | 0           0    / 0          2881 / 65536 |\n"
      "| NPU     Chip              | Process id    | Process name    | Process memory(MB) |\n"
      "| 0       1                 | 7             | ker_DP25        | 12                 |\n");
  REQUIRE(devices.size() == 2);
  CHECK(devices[1].id == 1);
  CHECK(devices[1].power_w == "-");
  CHECK(devices[0].holders.empty());
  CHECK(devices[1].holders.size() == 1);
}

TEST_CASE("device table: a 310B has no bus address, 26.0 a fifth column") {
  const auto devices = parse_device_table(
      "| 0       310B4                 | OK              | 8.5          46      15    / 15 |\n"
      "| 0       0                     | NA              | 0            1634 / 7545 |\n"
      "| NPU     Chip | Process id | Process name | Process memory(MB) | Process id in container "
      "|\n"
      "| 0       0                 | 7             | python3.1  | 90  | NA |\n");
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].name == "310B4");
  CHECK(devices[0].holders.at(0).memory_mb == 90);
}

TEST_CASE("device table: what is no table has no devices, cut anywhere it is no error") {
  CHECK(parse_device_table("").empty());
  CHECK(parse_device_table("dcmi model initialized failed, because the device is used.\n").empty());
  for (std::size_t length = 0; length <= kA2.size(); ++length) {
    CHECK(parse_device_table(kA2.substr(0, length)).size() <= 2);
  }
}

}  // namespace
}  // namespace mstune::agent
