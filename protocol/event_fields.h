// The names of the fields of trial_events.h on the wire; see wire.h.
#pragma once

#include "protocol/trial_events.h"
#include "protocol/wire.h"

namespace mstune::protocol {

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
struct Wire<EventLine> {
  static constexpr const char* kTag = "event_line";
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
    visit("facts", m.facts);
  }
};

}  // namespace mstune::protocol
