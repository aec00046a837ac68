// The states that reports speak of. On the wire they are names, here enums: what a newer peer adds
// is read as `unknown`.
#pragma once

namespace mstune::protocol {

enum class TrialState {
  unknown,
  queued,
  running,
  finished,
  lost,  // this agent knows nothing of that trial
};

// What a queued trial waits for.
enum class WaitsFor {
  unknown,
  device,         // others have them, or it is not the trial's turn
  quiet_machine,  // something is built on the agent's machine, or sent from it
};

enum class DeviceState {
  unknown,
  free,
  busy,
  unusable,  // processes on it cannot be ended
};

}  // namespace mstune::protocol
