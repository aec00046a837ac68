#include "coordinator/agent_answer.h"

#include <algorithm>

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

Message state_message(const std::string& state) {
  if (state == protocol::kDeviceFree) {
    return message("agents.free", "free");
  }
  if (state == protocol::kDeviceBusy) {
    return message("agents.busy", "busy");
  }
  return message("agents.unusable", "unusable");
}

std::string device_text(const protocol::DeviceCondition& device) {
  const std::string name = device.device < 0 ? std::string() : fmt::format("{} ", device.device);
  if (device.holder.empty()) {
    return name + said(state_message(device.state));
  }
  return said(message("agents.device_held", "{}{}: trial {} of {} for {}", name,
                      state_message(device.state), device.trial, device.holder,
                      duration_text(static_cast<double>(device.held_for_s))));
}

std::string devices_text(const protocol::Condition& condition) {
  std::vector<std::string> texts;
  for (const protocol::DeviceCondition& device : condition.devices) {
    texts.push_back(device_text(device));
  }
  if (condition.queued > 0) {
    texts.push_back(said(message("agents.queued", "{} queued", condition.queued)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

Row row_of(const AgentAnswer& answer) {
  if (!answer.welcome || !answer.condition) {
    return {answer.agent, "-", "-", "-", "-", said(answer.failure.value_or(no_answer()))};
  }
  const protocol::StoreCondition& store = answer.condition->store;
  return {answer.agent,
          answer.welcome->software,
          answer.welcome->host,
          answer.round_trip_ms ? fmt::format("{:.2f} ms", *answer.round_trip_ms) : "-",
          said(message("agents.store", "{} files, {} of {}", store.files, size_text(store.bytes),
                       size_text(store.limit_bytes))),
          devices_text(*answer.condition)};
}

Json device_json(const protocol::DeviceCondition& device) {
  Json json;
  json["device"] = device.device < 0 ? Json(nullptr) : Json(device.device);
  json["state"] = device.state;
  const bool is_held = !device.holder.empty();
  json["holder"] = is_held ? Json(device.holder) : Json(nullptr);
  json["trial"] = is_held ? Json(device.trial) : Json(nullptr);
  json["held_for_s"] = is_held ? Json(device.held_for_s) : Json(nullptr);
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
  std::vector<Row> rows{{said(message("agents.head_agent", "agent")),
                         said(message("agents.head_version", "version")),
                         said(message("agents.head_host", "host")),
                         said(message("agents.head_round_trip", "round trip")),
                         said(message("agents.head_store", "store")),
                         said(message("agents.head_devices", "devices"))}};
  std::transform(answers.begin(), answers.end(), std::back_inserter(rows), row_of);
  std::string text = text_table(rows, std::vector<Column>(rows.front().size(), Column::words));
  for (const AgentAnswer& answer : answers) {
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
