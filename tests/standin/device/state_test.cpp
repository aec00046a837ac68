#include "tests/standin/device/state.h"

#include <stdexcept>

#include <doctest/doctest.h>

#include "tests/standin/device/process_table.h"

namespace standin::device {
namespace {

TEST_CASE("state: without a file there are two devices of an A2 with 64 GB each") {
  const Box box = load_box("/nonexistent");
  REQUIRE(box.devices.size() == 2);
  CHECK(box.soc_version == "Ascend910B2");
  CHECK(box.devices[1].card == 1);
  CHECK(box.devices[1].memory_total_mb == 65536);
  CHECK(parse_box("{}").devices.size() == 2);
}

TEST_CASE("state: a shape brings its own defaults, and a field wins over them") {
  const Box a3 = parse_box(R"({"shape":"A3","device_count":4,"driver_version":"25.5.0"})");
  REQUIRE(a3.devices.size() == 4);
  CHECK(a3.driver_version == "25.5.0");
  CHECK(a3.devices[3].card == 1);
  CHECK(a3.devices[3].chip == 1);
  CHECK(a3.devices[3].power_w == "-");
  CHECK(parse_box(R"({"shape":"310B"})").devices[0].bus_id == "NA");
  const Box odd = parse_box(R"({"devices":[{"card":5,"health":"Alarm","memory_total_mb":100}]})");
  REQUIRE(odd.devices.size() == 1);
  CHECK(odd.devices[0].card == 5);
  CHECK(odd.devices[0].health == "Alarm");
}

TEST_CASE("state: foreign processes are read, without memory when none is given") {
  const Box box = parse_box(
      R"({"devices":[{"processes":[{"pid":47928,"name":"python","memory_mb":90},
                                   {"pid":1,"name":"context"}]}]})");
  REQUIRE(box.devices[0].foreign.size() == 2);
  CHECK(box.devices[0].foreign[0].memory_mb == 90);
  CHECK(box.devices[0].foreign[1].memory_mb == 0);
}

TEST_CASE("state: a file that is wrong is refused") {
  for (const char* text : {"", "{", R"({"shape":"A4"})", R"({"devices":[{"card":"x"}]})",
                           R"({"devices":[{"processes":[{"pid":1}]}]})"}) {
    CHECK_THROWS_AS(parse_box(text), std::runtime_error);
  }
}

TEST_CASE("process table: the start time is found behind any name, but not of a zombie") {
  const std::string fields = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21\n";
  CHECK(start_ticks("12 (python) S" + fields) == 4711);
  CHECK(start_ticks("12 (a) R (b)) R" + fields) == 4711);
  CHECK_FALSE(start_ticks("12 (python) Z" + fields).has_value());
  CHECK_FALSE(start_ticks("12 (python) S 1 2").has_value());
  CHECK_FALSE(start_ticks("").has_value());
}

}  // namespace
}  // namespace standin::device
