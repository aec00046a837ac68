// The names of the fields of agent_messages.h on the wire; see wire.h.
#pragma once

#include <array>

#include "protocol/agent_messages.h"
#include "protocol/fields.h"

namespace mstune::protocol {

template <>
struct Wire<Inspect> {
  static constexpr const char* kTag = "inspect";
  static void fields(auto& m, auto&& visit) { visit("sequence", m.sequence); }
};

template <>
struct Wire<Purge> {
  static constexpr const char* kTag = "purge";
  static void fields(auto& /*m*/, auto&& /*visit*/) {}
};

template <>
struct Wire<StoreCondition> {
  static void fields(auto& m, auto&& visit) {
    visit("files", m.files);
    visit("bytes", m.bytes);
    visit("pinned_bytes", m.pinned_bytes);
    visit("limit_bytes", m.limit_bytes);
    visit("free_bytes", m.free_bytes);
  }
};

template <>
struct Wire<ForeignUser> {
  static void fields(auto& m, auto&& visit) {
    visit("pid", m.pid);
    visit("name", m.name);
    visit("memory_mb", m.memory_mb);
  }
};

template <>
struct Names<DeviceState> {
  static constexpr std::array<const char*, 4> kNames{"", "free", "busy", "unusable"};
};

template <>
struct Wire<DeviceCondition> {
  static void fields(auto& m, auto&& visit) {
    visit("device", m.device);
    visit("state", m.state);
    visit("holder", m.holder);
    visit("trial", m.trial);
    visit("held_for_s", m.held_for_s);
    visit("chip", m.chip);
    visit("reading", m.reading);
    visit("read_ago_s", m.read_ago_s);
    visit("user", m.user);
  }
};

template <>
struct Wire<Condition> {
  static constexpr const char* kTag = "condition";
  static void fields(auto& m, auto&& visit) {
    visit("sequence", m.sequence);
    visit("store", m.store);
    visit("devices", m.devices);
    visit("queued", m.queued);
    visit("sessions", m.sessions);
    visit("running_s", m.running_s);
  }
};

template <>
struct Wire<Purged> {
  static constexpr const char* kTag = "purged";
  static void fields(auto& m, auto&& visit) {
    visit("freed_bytes", m.freed_bytes);
    visit("kept_bytes", m.kept_bytes);
  }
};

}  // namespace mstune::protocol
