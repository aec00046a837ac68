// The names of all fields on the wire, once, for packing and unpacking alike.
//
// A specialisation of Wire<T> has `fields(message, visit)`, which calls visit("name", member) for
// each field, and `kTag` where T travels as a message or as an event.
#pragma once

#include "protocol/messages.h"
#include "protocol/transfer_messages.h"

namespace mstune::protocol {

template <typename T>
struct Wire;

template <>
struct Wire<Message> {
  static void fields(auto& m, auto&& visit) {
    visit("id", m.id);
    visit("text", m.text);
    visit("arguments", m.arguments);
  }
};

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
struct Wire<Started> {
  static constexpr const char* kTag = "started";
  static void fields(auto& m, auto&& visit) {
    visit("pid", m.pid);
    visit("wall_us", m.wall_us);
    visit("program", m.program);
  }
};

template <>
struct Wire<StepLine> {
  static constexpr const char* kTag = "step";
  static void fields(auto& m, auto&& visit) {
    visit("source", m.source);
    visit("line", m.line);
    visit("text", m.text);
  }
};

template <>
struct Wire<Notice> {
  static constexpr const char* kTag = "notice";
  static void fields(auto& m, auto&& visit) { visit("what", m.what); }
};

template <>
struct Wire<TrialFile> {
  static void fields(auto& m, auto&& visit) {
    visit("path", m.path);
    visit("size", m.size);
  }
};

template <>
struct Wire<DeviceReading> {
  static void fields(auto& m, auto&& visit) {
    visit("device", m.device);
    visit("temperature_c", m.temperature_c);
    visit("power_w", m.power_w);
    visit("clock_mhz", m.clock_mhz);
  }
};

template <>
struct Wire<Exited> {
  static constexpr const char* kTag = "exited";
  static void fields(auto& m, auto&& visit) {
    visit("started", m.started);
    visit("exit_code", m.exit_code);
    visit("cause", m.cause);
    visit("detail", m.detail);
    visit("run_us", m.run_us);
    visit("files", m.files);
    visit("output_dropped_bytes", m.output_dropped_bytes);
    visit("output_tail", m.output_tail);
    visit("readings_before", m.readings_before);
    visit("readings_after", m.readings_after);
  }
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
struct Wire<Offer> {
  static constexpr const char* kTag = "offer";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("identity", m.identity);
    visit("size", m.size);
    visit("chunks", m.chunks);
  }
};

template <>
struct Wire<ListRequest> {
  static constexpr const char* kTag = "list_request";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("first", m.first);
  }
};

template <>
struct Wire<OfferPage> {
  static constexpr const char* kTag = "offer_page";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("first", m.first);
    visit("digests", m.digests);
    visit("lengths", m.lengths);
  }
};

template <>
struct Wire<Need> {
  static constexpr const char* kTag = "need";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("lacks", m.lacks);
    visit("window_bytes", m.window_bytes);
  }
};

template <>
struct Wire<Piece> {
  static constexpr const char* kTag = "piece";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("first", m.first);
    visit("count", m.count);
  }
};

template <>
struct Wire<Taken> {
  static constexpr const char* kTag = "taken";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("bytes", m.bytes);
  }
};

template <>
struct Wire<Stored> {
  static constexpr const char* kTag = "stored";
  static void fields(auto& m, auto&& visit) { visit("upload", m.upload); }
};

template <>
struct Wire<Waiting> {
  static constexpr const char* kTag = "waiting";
  static void fields(auto& m, auto&& visit) { visit("upload", m.upload); }
};

template <>
struct Wire<Refused> {
  static constexpr const char* kTag = "refused";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("why", m.why);
  }
};

template <>
struct Wire<Withdraw> {
  static constexpr const char* kTag = "withdraw";
  static void fields(auto& m, auto&& visit) { visit("upload", m.upload); }
};

}  // namespace mstune::protocol
