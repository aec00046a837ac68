// Which lines are recorded, and into which channel. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace standin::plog {

enum class Channel { debug, run, security };
inline constexpr int kChannels = 3;

// "debug", "run", "security": the directory below the root.
std::string_view channel_name(Channel channel);

// The name that stands in a line and in ASCEND_MODULE_LOG_LEVEL; the number when it has no name.
std::string module_name(std::int32_t id);
std::optional<std::int32_t> module_id(std::string_view name);

struct LevelRules {
  std::int32_t global = 3;                         // 0 DEBUG .. 3 ERROR, 4 nothing
  std::map<std::int32_t, std::int32_t> by_module;  // wins over `global`
  bool events = true;
  bool below_error_set = false;  // somebody asked for more than errors: implies synchronous saving
};

// From ASCEND_GLOBAL_LOG_LEVEL, ASCEND_MODULE_LOG_LEVEL and ASCEND_GLOBAL_EVENT_ENABLE, null when
// unset. A value out of its range counts as unset; one mistake in the module string voids all of
// it.
LevelRules level_rules(const char* global, const char* modules, const char* events);

// The channel of a line, or nothing when it is not recorded. `module` may carry a mask. run/ and
// security/ are fixed at INFO, whatever the rules say; DLOG_EVENT goes to run/.
std::optional<Channel> channel_of(const LevelRules& rules, std::int32_t module, std::int32_t level);

}  // namespace standin::plog
