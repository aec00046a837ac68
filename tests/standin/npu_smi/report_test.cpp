#include "tests/standin/npu_smi/report.h"

#include <doctest/doctest.h>

namespace standin::npu_smi {
namespace {

Snapshot snapshot(const std::string& state) {
  Snapshot result{device::parse_box(state), {}};
  for (const auto& chip : result.box.devices) {
    result.processes.push_back(chip.foreign);
  }
  return result;
}

bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

TEST_CASE("npu-smi: the table of an A2") {
  CHECK(
      info_table(snapshot(R"({"devices":[
      {"memory_base_mb":3307,"processes":[{"pid":47928,"name":"python","memory_mb":90}]}, {}]})")) ==
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
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
+===========================+===============+====================================================+
)");
}

TEST_CASE("npu-smi: an A3 has two dies a card, their Phy-ID, and no power on the second") {
  const std::string text = info_table(snapshot(R"({"shape":"A3","devices":[{},{
      "processes":[{"pid":7,"name":"context"}]},{},{}]})"));
  CHECK(contains(text, "| Chip  Phy-ID              | Bus-Id "));
  CHECK(contains(text, "| 0     Ascend910           | OK            | 96.4        37 "));
  CHECK(contains(text, "| 0     Ascend910           | OK            | -           37 "));
  CHECK(contains(text, "| 1     3                   | 0000:02:00.0  | 0 "));
  CHECK(contains(text, "| 0       1                 | 7             | context "));
  CHECK(contains(text, "No running processes found in NPU 1 "));
  CHECK_FALSE(contains(text, "No running processes found in NPU 0 "));
}

TEST_CASE("npu-smi: a 310B has a Device column, no bus address and no HBM") {
  const std::string text = info_table(snapshot(R"({"shape":"310B","device_count":1})"));
  CHECK(contains(text, "| Chip    Device                | Bus-Id          | AICore(%)    Memory-"));
  CHECK(
      contains(text, "| 0       310B4                 | OK              | 0.0          37      "));
  CHECK(contains(text,
                 "| 0       0                     | NA              | 0            1634 / 7545 "));
  CHECK_FALSE(contains(text, "HBM"));
}

TEST_CASE("npu-smi: 26.0 has a fifth column of processes and cuts their names") {
  const std::string text = info_table(snapshot(
      R"({"shape":"26.0","devices":[{"processes":[{"pid":7,"name":"python3.11","memory_mb":90}]}]})"));
  CHECK(contains(text, "| Process memory(MB)      | Process id in container |\n"));
  CHECK(
      contains(text, "| 7             | python3.1                | 90                      | NA "));
}

TEST_CASE("npu-smi: all lines of a table are equally long") {
  for (const char* shape : {"A2", "A3", "310B", "26.0"}) {
    const std::string text =
        info_table(snapshot("{\"shape\":\"" + std::string(shape) + "\",\"device_count\":16}"));
    const std::size_t width = text.find('\n') + 1;
    CHECK(text.size() % width == 0);
    for (std::size_t end = width - 1; end < text.size(); end += width) {
      CHECK(text[end] == '\n');
    }
  }
}

TEST_CASE("npu-smi: the map gives each chip its logic id, and the controller none") {
  CHECK(chip_map(snapshot(R"({"soc_version":"Ascend910B3","device_count":1})").box) ==
        "\tNPU ID                         Chip ID                        Chip Logic ID             "
        "     Chip Name                     \n"
        "\t0                              0                              0                         "
        "     Ascend 910B3\n"
        "\t0                              1                              -                         "
        "     Mcu                           \n");
  CHECK(contains(chip_map(snapshot(R"({"shape":"A3"})").box),
                 "Chip Logic ID                  Chip Phy-ID                    Chip Name"));
}

TEST_CASE("npu-smi: the list counts cards, not chips") {
  const std::string text = card_list(snapshot(R"({"shape":"A3","device_count":4})").box);
  CHECK(contains(text, "\tTotal Count                    : 2\n"));
  CHECK(contains(text,
                 "\tNPU ID                         : 1\n"
                 "\tChip Count                     : 2\n"));
}

TEST_CASE("npu-smi: topics answer for a card or a chip, and only for one that exists") {
  const Snapshot box = snapshot(R"({"devices":[{"health":"Warning","error_code":"80E01801"}]})");
  CHECK(topic_text(box, "health", 0, std::nullopt) ==
        "\tHealth                         : Warning\n");
  CHECK(contains(*topic_text(box, "health", 0, 0), "Health Status                  : Warning\n"));
  CHECK(contains(*topic_text(box, "health", 0, 0), "Error Code                     : 80E01801\n"));
  CHECK(contains(*topic_text(box, "board", 0, std::nullopt),
                 "Software Version               : 24.1.0.3\n"));
  CHECK(contains(*topic_text(box, "board", 0, 0), "Chip Name                      : 910B2\n"));
  CHECK(contains(*topic_text(box, "usages", 0, 0), "HBM Usage Rate(%)              : 5\n"));
  CHECK(contains(*topic_text(box, "common", 0, std::nullopt), "Aicore Usage Rate(%)"));
  CHECK(contains(
      *topic_text(snapshot(R"({"shape":"A3","device_count":2})"), "common", 0, std::nullopt),
      "\tChip ID                        : 1\n"));
  CHECK(contains(*topic_text(box, "temp", 0, std::nullopt), ": 37\n"));
  CHECK(contains(*topic_text(box, "power", 0, std::nullopt), ": 96.4\n"));
  CHECK_FALSE(topic_text(box, "health", 1, std::nullopt).has_value());
  CHECK_FALSE(topic_text(box, "health", 0, 1).has_value());
  CHECK_FALSE(topic_text(box, "usages", 0, std::nullopt).has_value());
  CHECK_FALSE(topic_text(box, "weather", 0, 0).has_value());
}

TEST_CASE("npu-smi: proc-mem lists processes, but a 310B cannot") {
  const std::string state = R"("devices":[{"processes":[{"pid":7,"name":"p","memory_mb":9}]}])";
  CHECK(contains(*topic_text(snapshot("{" + state + "}"), "proc-mem", 0, 0),
                 "\tProcess id                     : 7\n"
                 "\tProcess name                   : p\n"
                 "\tProcess memory(MB)             : 9\n"));
  CHECK(topic_text(snapshot(R"({"shape":"310B",)" + state + "}"), "proc-mem", 0, 0) ==
        "This device does not support querying proc-mem.\n");
}

}  // namespace
}  // namespace standin::npu_smi
