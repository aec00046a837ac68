// The names of the fields of messages.h on the wire; see wire.h.
#pragma once

#include <array>

#include "protocol/event_fields.h"
#include "protocol/messages.h"
#include "protocol/transfer_fields.h"
#include "protocol/wire.h"

namespace mstune::protocol {

template <>
struct Wire<TrialKey> {
  static void fields(auto& m, auto&& visit) {
    visit("campaign", m.campaign);
    visit("trial", m.trial);
    visit("attempt", m.attempt);
    visit("instance", m.instance);
  }
};

template <>
struct Wire<FileReference> {
  static void fields(auto& m, auto&& visit) {
    visit("name", m.name);
    visit("identity", m.identity);
  }
};

template <>
struct Wire<TrialSpec> {
  static void fields(auto& m, auto&& visit) {
    visit("command", m.command);
    visit("shell", m.shell);
    visit("om", m.om);
    visit("files", m.files);
    visit("inherit_environment", m.inherit_environment);
    visit("cann_env", m.cann_env);
    visit("environment", m.environment);
    visit("unset", m.unset);
    visit("working_directory", m.working_directory);
    visit("timeout_ms", m.timeout_ms);
    visit("output_limit_bytes", m.output_limit_bytes);
    visit("devices", m.devices);
    visit("ignore_busy", m.ignore_busy);
    visit("wait_timeout_ms", m.wait_timeout_ms);
    visit("instances", m.instances);
    visit("cache", m.cache);
  }
};

template <>
struct Wire<Hello> {
  static constexpr const char* kTag = "hello";
  static void fields(auto& m, auto&& visit) {
    visit("major", m.major);
    visit("minor", m.minor);
    visit("oldest_major", m.oldest_major);
    visit("software", m.software);
    visit("campaign", m.campaign);
    visit("capabilities", m.capabilities);
    visit("cann_env", m.cann_env);
    visit("keep_files", m.keep_files);
  }
};

template <>
struct Wire<Ping> {
  static constexpr const char* kTag = "ping";
  static void fields(auto& m, auto&& visit) { visit("sequence", m.sequence); }
};

template <>
struct Wire<Assign> {
  static constexpr const char* kTag = "assign";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("spec", m.spec);
    visit("events_from", m.events_from);
  }
};

template <>
struct Wire<Cancel> {
  static constexpr const char* kTag = "cancel";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("why", m.why);
  }
};

template <>
struct Wire<Acknowledge> {
  static constexpr const char* kTag = "acknowledge";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("events", m.events);
  }
};

template <>
struct Wire<Fetch> {
  static constexpr const char* kTag = "fetch";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("file", m.file);
    visit("offset", m.offset);
    visit("length", m.length);
  }
};

template <>
struct Wire<Release> {
  static constexpr const char* kTag = "release";
  static void fields(auto& m, auto&& visit) { visit("key", m.key); }
};

template <>
struct Wire<Goodbye> {
  static constexpr const char* kTag = "goodbye";
  static void fields(auto& /*m*/, auto&& /*visit*/) {}
};

template <>
struct Wire<Welcome> {
  static constexpr const char* kTag = "welcome";
  static void fields(auto& m, auto&& visit) {
    visit("major", m.major);
    visit("minor", m.minor);
    visit("software", m.software);
    visit("instance", m.instance);
    visit("capabilities", m.capabilities);
    visit("host", m.host);
    visit("boot_id", m.boot_id);
    visit("architecture", m.architecture);
    visit("pid", m.pid);
    visit("devices", m.devices);
    visit("chips", m.chips);
    visit("cann_version", m.cann_version);
    visit("driver_version", m.driver_version);
    visit("notices", m.notices);
  }
};

template <>
struct Wire<Pong> {
  static constexpr const char* kTag = "pong";
  static void fields(auto& m, auto&& visit) { visit("sequence", m.sequence); }
};

template <>
struct Wire<Status> {
  static constexpr const char* kTag = "status";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("state", m.state);
    visit("events", m.events);
    visit("waits_for", m.waits_for);
    visit("held_by", m.held_by);
  }
};

template <>
struct Wire<Events> {
  static constexpr const char* kTag = "events";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("first", m.first);
    visit("events", m.events);
  }
};

template <>
struct Wire<FileData> {
  static constexpr const char* kTag = "file_data";
  static void fields(auto& m, auto&& visit) {
    visit("key", m.key);
    visit("file", m.file);
    visit("offset", m.offset);
    visit("end", m.end);
    visit("failure", m.failure);
  }
};

template <>
struct Wire<Failure> {
  static constexpr const char* kTag = "failure";
  static void fields(auto& m, auto&& visit) {
    visit("request", m.request);
    visit("what", m.what);
  }
};

template <>
struct Names<TrialState> {
  static constexpr std::array<const char*, 5> kNames{"", "queued", "running", "finished", "lost"};
};

template <>
struct Names<WaitsFor> {
  static constexpr std::array<const char*, 3> kNames{"", "device", "quiet_machine"};
};

}  // namespace mstune::protocol
