// What the shell sees of a command that did not simply succeed.
#pragma once

namespace mstune::coordinator {

inline constexpr int kExitBadArgumentsOrEnvironment = 2;
inline constexpr int kExitLeftBehind = 2;     // of what else would have ended well
inline constexpr int kExitInterrupted = 130;  // as a shell counts SIGINT

}  // namespace mstune::coordinator
