#include "coordinator/agent_answer.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/language.h"
#include "coordinator/text_table.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

Message no_answer() {
  return message("agents.silent", "no answer");
}

Message state_message(protocol::DeviceState state) {
  if (state == protocol::DeviceState::free) {
    return message("agents.free", "free");
  }
  if (state == protocol::DeviceState::busy) {
    return message("agents.busy", "busy");
  }
  return message("agents.unusable", "unusable");
}

std::string device_text(const protocol::DeviceCondition& device) {
  if (device.user.pid > 0) {
    const std::string process =
        device.user.memory_mb > 0 ? fmt::format("{}, {} MB", device.user.pid, device.user.memory_mb)
                                  : std::to_string(device.user.pid);
    return said(message("agents.used", "used by {} ({})", device.user.name, process));
  }
  if (device.holder.empty()) {
    return said(state_message(device.state));
  }
  return said(message("agents.device_held", "{}: trial {} of {} for {}",
                      state_message(device.state), device.trial, device.holder,
                      duration_text(static_cast<double>(device.held_for_s))));
}

std::string or_dash(const std::string& text, const char* unit = "") {
  return text.empty() ? "-" : text + unit;
}

// "free", or how many are and how many trials wait.
std::string devices_text(const protocol::Condition& condition) {
  const auto free =
      std::count_if(condition.devices.begin(), condition.devices.end(), [](const auto& device) {
        return device.state == protocol::DeviceState::free && device.user.pid == 0;
      });
  std::string text =
      condition.devices.size() == 1 && condition.devices.front().device < 0
          ? device_text(condition.devices.front())
          : said(message("agents.free_of", "{} of {} free", free, condition.devices.size()));
  if (condition.queued > 0) {
    text += ", " + said(message("agents.queued", "{} queued", condition.queued));
  }
  return text;
}

std::string chips_text(const std::vector<std::string>& chips) {
  const std::set<std::string> different(chips.begin(), chips.end());
  return different.empty() ? "-" : fmt::format("{}", fmt::join(different, ", "));
}

// A line for each device of those that have a number.
std::vector<Row> device_rows(const std::vector<AgentAnswer>& answers) {
  std::vector<Row> rows;
  for (const AgentAnswer& answer : answers) {
    for (const protocol::DeviceCondition& device :
         answer.condition ? answer.condition->devices : std::vector<protocol::DeviceCondition>()) {
      if (device.device >= 0) {
        const protocol::DeviceReading& reading = device.reading;
        const std::string age =
            device.read_ago_s > 0
                ? said(message("agents.read_ago", "{} ago",
                               duration_text(static_cast<double>(device.read_ago_s))))
                : std::string();
        rows.push_back({answer.agent, std::to_string(device.device), or_dash(device.chip),
                        or_dash(reading.temperature_c, " C"), or_dash(reading.power_w, " W"),
                        or_dash(reading.clock_mhz, " MHz"), age, device_text(device)});
      }
    }
  }
  return rows;
}

Row row_of(const AgentAnswer& answer) {
  if (!answer.welcome || !answer.condition) {
    return {answer.agent, "-", "-",
            "-",          "-", "-",
            "-",          "-", said(answer.failure.value_or(no_answer()))};
  }
  const protocol::StoreCondition& store = answer.condition->store;
  return {answer.agent,
          answer.welcome->software,
          answer.welcome->host,
          chips_text(answer.welcome->chips),
          or_dash(answer.welcome->cann_version),
          or_dash(answer.welcome->driver_version),
          answer.round_trip_ms ? fmt::format("{:.2f} ms", *answer.round_trip_ms) : "-",
          said(message("agents.store", "{} files, {} of {}", store.files, size_text(store.bytes),
                       size_text(store.limit_bytes))),
          devices_text(*answer.condition)};
}

Json text_json(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// What npu-smi prints as a figure.
Json figure_json(const std::string& text) {
  const Json figure = Json::parse(text, nullptr, false);
  return figure.is_number() ? figure : Json(nullptr);
}

Json device_json(const protocol::DeviceCondition& device) {
  Json json;
  json["device"] = device.device < 0 ? Json(nullptr) : Json(device.device);
  json["state"] =
      state_message(device.state).text;  // the English word: documents have one language
  const bool is_held = !device.holder.empty();
  json["holder"] = is_held ? Json(device.holder) : Json(nullptr);
  json["trial"] = is_held ? Json(device.trial) : Json(nullptr);
  json["held_for_s"] = is_held ? Json(device.held_for_s) : Json(nullptr);
  const protocol::ForeignUser& user = device.user;
  json["user"] = nullptr;
  if (user.pid > 0) {
    json["user"] = {{"pid", user.pid}, {"name", user.name}};
    json["user"]["memory_mb"] = user.memory_mb > 0 ? Json(user.memory_mb) : Json(nullptr);
  }
  const protocol::DeviceReading& reading = device.reading;
  json["chip"] = text_json(device.chip);
  json["temperature_c"] = figure_json(reading.temperature_c);
  json["power_w"] = figure_json(reading.power_w);
  json["clock_mhz"] = figure_json(reading.clock_mhz);
  json["read_ago_s"] = reading.device < 0 ? Json(nullptr) : Json(device.read_ago_s);
  return json;
}

Json answer_json(const AgentAnswer& answer) {
  Json json;
  json["agent"] = answer.agent;
  json["reachable"] = answer.welcome && answer.condition;
  if (!answer.welcome || !answer.condition) {
    json["why"] = answer.failure.value_or(no_answer()).text;
    return json;
  }
  const protocol::Condition& condition = *answer.condition;
  json["software"] = answer.welcome->software;
  json["host"] = answer.welcome->host;
  json["architecture"] = answer.welcome->architecture;
  json["chips"] = answer.welcome->chips;
  json["cann_version"] = text_json(answer.welcome->cann_version);
  json["driver_version"] = text_json(answer.welcome->driver_version);
  json["boot_id"] = answer.welcome->boot_id;
  json["pid"] = answer.welcome->pid;
  json["round_trip_ms"] = answer.round_trip_ms ? Json(*answer.round_trip_ms) : Json(nullptr);
  json["store"] = {{"files", condition.store.files},
                   {"bytes", condition.store.bytes},
                   {"pinned_bytes", condition.store.pinned_bytes},
                   {"limit_bytes", condition.store.limit_bytes},
                   {"free_bytes", condition.store.free_bytes}};
  json["devices"] = Json::array();
  for (const protocol::DeviceCondition& device : condition.devices) {
    json["devices"].push_back(device_json(device));
  }
  json["queued"] = condition.queued;
  json["sessions"] = condition.sessions;
  json["running_s"] = condition.running_s;
  if (answer.purged) {
    json["purged"] = {{"freed_bytes", answer.purged->freed_bytes},
                      {"kept_bytes", answer.purged->kept_bytes}};
  }
  return json;
}

}  // namespace

std::string agents_table(const std::vector<AgentAnswer>& answers) {
  std::vector<Row> rows{
      {said(message("agents.head_agent", "agent")), said(message("agents.head_version", "version")),
       said(message("agents.head_host", "host")), said(message("agents.head_chip", "chip")), "CANN",
       said(message("agents.head_driver", "driver")),
       said(message("agents.head_round_trip", "round trip")),
       said(message("agents.head_store", "store")),
       said(message("agents.head_devices", "devices"))}};
  std::transform(answers.begin(), answers.end(), std::back_inserter(rows), row_of);
  std::string text = text_table(rows, std::vector<Column>(rows.front().size(), Column::words));
  if (std::vector<Row> devices = device_rows(answers); !devices.empty()) {
    devices.insert(
        devices.begin(),
        {said(message("agents.head_agent", "agent")), said(message("agents.head_device", "device")),
         said(message("agents.head_chip", "chip")),
         said(message("agents.head_temperature", "temperature")),
         said(message("agents.head_power", "power")), said(message("agents.head_clock", "clock")),
         said(message("agents.head_read", "read")), said(message("agents.head_state", "state"))});
    std::vector<Column> columns(devices.front().size(), Column::figures);
    columns.front() = columns[2] = columns[6] = columns.back() = Column::words;
    text += '\n' + text_table(devices, columns);
  }
  for (const AgentAnswer& answer : answers) {
    if (answer.welcome && answer.welcome->major < protocol::kMajor) {
      text += said(message("agents.older",
                           "{}: speaks version {} of the protocol, this mstune version {}: upgrade "
                           "it with scripts/install-agent.sh",
                           answer.agent, answer.welcome->major, protocol::kMajor)) +
              '\n';
    }
    if (answer.purged) {
      text += said(message("agents.purged", "{}: purged, {} freed, {} are needed and kept",
                           answer.agent, size_text(answer.purged->freed_bytes),
                           size_text(answer.purged->kept_bytes))) +
              '\n';
    }
  }
  return text;
}

std::string agents_json(const std::vector<AgentAnswer>& answers) {
  Json json;
  json["agents"] = Json::array();
  for (const AgentAnswer& answer : answers) {
    json["agents"].push_back(answer_json(answer));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mstune::coordinator
