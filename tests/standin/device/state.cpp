#include "tests/standin/device/state.h"

#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace standin::device {
namespace {

using nlohmann::json;

Shape shape_of(const std::string& name) {
  if (name == "A2") {
    return Shape::a2;
  }
  if (name == "A3") {
    return Shape::a3;
  }
  if (name == "310B") {
    return Shape::soc310b;
  }
  if (name == "26.0") {
    return Shape::v26;
  }
  throw std::runtime_error("state.json: shape is '" + name + "', not A2, A3, 310B or 26.0");
}

// Addresses as they are found on a box of eight.
std::string bus_id(std::size_t index) {
  constexpr std::array addresses{"C1", "01", "C2", "02", "81", "41", "82", "42"};
  return std::string("0000:") + addresses.at(index % addresses.size()) + ":00.0";
}

Box box_of(Shape shape, std::size_t devices) {
  Box box;
  box.shape = shape;
  const bool two_dies = shape == Shape::a3;
  const bool soc310b = shape == Shape::soc310b;
  if (two_dies) {
    box.soc_version = "Ascend910_9392";
    box.driver_version = "25.3.rc1";
  } else if (soc310b) {
    box.soc_version = "Ascend310B4";
    box.driver_version = "23.0.0";
  } else if (shape == Shape::v26) {
    box.driver_version = "26.0.rc2";
  }
  for (std::size_t index = 0; index < devices; ++index) {
    Device device;
    device.card = static_cast<int>(two_dies ? index / 2 : index);
    device.chip = static_cast<int>(two_dies ? index % 2 : 0);
    if (device.chip != 0) {
      device.power_w = "-";
    }
    if (soc310b) {
      device.power_w = "0.0";
      device.memory_total_mb = 7545;
      device.memory_base_mb = 1634;
    } else {
      device.bus_id = bus_id(index);
    }
    box.devices.push_back(device);
  }
  return box;
}

template <typename Value>
void read(const json& object, const char* field, Value& value) {
  if (const auto found = object.find(field); found != object.end()) {
    found->get_to(value);
  }
}

void read_device(const json& object, Device& device) {
  read(object, "card", device.card);
  read(object, "chip", device.chip);
  read(object, "health", device.health);
  read(object, "power_w", device.power_w);
  read(object, "temperature_c", device.temperature_c);
  read(object, "clock_mhz", device.clock_mhz);
  read(object, "aicore_percent", device.aicore_percent);
  read(object, "bus_id", device.bus_id);
  read(object, "memory_total_mb", device.memory_total_mb);
  read(object, "memory_base_mb", device.memory_base_mb);
  read(object, "error_code", device.error_code);
  for (const auto& process : object.value("processes", json::array())) {
    device.foreign.push_back({process.at("pid").get<std::int64_t>(),
                              process.at("name").get<std::string>(),
                              process.value("memory_mb", std::uint64_t{0})});
  }
}

}  // namespace

Box default_box() {
  return box_of(Shape::a2, 2);
}

Box parse_box(const std::string& text) {
  try {
    const json state = json::parse(text);
    const json devices = state.value("devices", json::array());
    const std::size_t count =
        devices.empty() ? state.value("device_count", std::size_t{2}) : devices.size();
    Box box = box_of(shape_of(state.value("shape", "A2")), count);
    read(state, "driver_version", box.driver_version);
    read(state, "soc_version", box.soc_version);
    read(state, "failure", box.failure);
    for (std::size_t index = 0; index < devices.size(); ++index) {
      read_device(devices[index], box.devices[index]);
    }
    return box;
  } catch (const json::exception& wrong) {
    throw std::runtime_error(std::string("state.json: ") + wrong.what());
  }
}

Box load_box(const std::string& directory) {
  std::ifstream file(directory + "/state.json");
  if (!file) {
    return default_box();
  }
  return parse_box({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

}  // namespace standin::device
