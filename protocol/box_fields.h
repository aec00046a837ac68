// The names of the fields of box_messages.h on the wire; see wire.h.
#pragma once

#include "protocol/box_messages.h"
#include "protocol/fields.h"

namespace mstune::protocol {

template <>
struct Wire<PassLibrary> {
  static void fields(auto& m, auto&& visit) {
    visit("path", m.path);
    visit("vendor", m.vendor);
    visit("architecture", m.architecture);
    visit("string_abi", m.string_abi);
    visit("missing", m.missing);
    visit("readable", m.readable);
    visit("writes_mode", m.writes_mode);
    visit("is_ours", m.is_ours);
    visit("is_samples", m.is_samples);
  }
};

template <>
struct Wire<PassLease> {
  static void fields(auto& m, auto&& visit) {
    visit("owner", m.owner);
    visit("alive", m.alive);
  }
};

template <>
struct Wire<Place> {
  static void fields(auto& m, auto&& visit) {
    visit("path", m.path);
    visit("writable", m.writable);
    visit("free_bytes", m.free_bytes);
  }
};

template <>
struct Wire<DeviceHolder> {
  static void fields(auto& m, auto&& visit) {
    visit("pid", m.pid);
    visit("name", m.name);
    visit("memory_mb", m.memory_mb);
  }
};

template <>
struct Wire<DeviceFacts> {
  static void fields(auto& m, auto&& visit) {
    visit("id", m.id);
    visit("name", m.name);
    visit("health", m.health);
    visit("power_w", m.power_w);
    visit("temperature_c", m.temperature_c);
    visit("holders", m.holders);
  }
};

template <>
struct Wire<BoxFacts> {
  static void fields(auto& m, auto&& visit) {
    visit("host", m.host);
    visit("software", m.software);
    visit("architecture", m.architecture);
    visit("is_root", m.is_root);
    visit("variables", m.variables);
    visit("home_exists", m.home_exists);
    visit("opp_exists", m.opp_exists);
    visit("atc", m.atc);
    visit("agent", m.agent);
    visit("cann_version", m.cann_version);
    visit("driver_version", m.driver_version);
    visit("passes", m.passes);
    visit("strays", m.strays);
    visit("leases", m.leases);
    visit("toolkit_abi", m.toolkit_abi);
    visit("recorder", m.recorder);
    visit("work", m.work);
    visit("plog_root", m.plog_root);
    visit("build_log", m.build_log);
    visit("has_npu_smi", m.has_npu_smi);
    visit("npu_smi_failure", m.npu_smi_failure);
    visit("devices", m.devices);
  }
};

template <>
struct Wire<Examine> {
  static constexpr const char* kTag = "examine";
  static void fields(auto& m, auto&& visit) { visit("cann_env", m.cann_env); }
};

template <>
struct Wire<Examined> {
  static constexpr const char* kTag = "examined";
  static void fields(auto& m, auto&& visit) {
    visit("facts", m.facts);
    visit("failure", m.failure);
  }
};

template <>
struct Wire<ManagePass> {
  static constexpr const char* kTag = "manage_pass";
  static void fields(auto& m, auto&& visit) {
    visit("action", m.action);
    visit("cann_env", m.cann_env);
    visit("hold", m.hold);
    visit("offset", m.offset);
    visit("size", m.size);
  }
};

template <>
struct Wire<PassManaged> {
  static constexpr const char* kTag = "pass_managed";
  static void fields(auto& m, auto&& visit) {
    visit("path", m.path);
    visit("was_there", m.was_there);
    visit("failure", m.failure);
  }
};

}  // namespace mstune::protocol
