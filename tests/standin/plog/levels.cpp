#include "tests/standin/plog/levels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "tests/standin/plog/dlog_pub.h"

namespace standin::plog {
namespace {

constexpr std::array<std::pair<std::int32_t, std::string_view>, 19> kModules{{
    {SLOG, "SLOG"},
    {HCCL, "HCCL"},
    {FMK, "FMK"},
    {DVPP, "DVPP"},
    {RUNTIME, "RUNTIME"},
    {CCE, "CCE"},
    {HDC, "HDC"},
    {DRV, "DRV"},
    {TEFUSION, "TEFUSION"},
    {AICPU, "AICPU"},
    {PROFILING, "PROFILING"},
    {TDT, "TDT"},
    {FE, "FE"},
    {GE, "GE"},
    {ASCENDCL, "ASCENDCL"},
    {TBE, "TBE"},
    {TUNE, "TUNE"},
    {FFTS, "FFTS"},
    {OP, "OP"},
}};

// The masks stand above the low 16 bits.
std::int32_t without_mask(std::int32_t module) {
  return module & 0xFFFF;
}

std::optional<std::int32_t> level_digit(std::string_view text) {
  if (text.size() != 1 || text[0] < '0' || text[0] > '4') {
    return std::nullopt;
  }
  return text[0] - '0';
}

std::optional<std::map<std::int32_t, std::int32_t>> parse_modules(std::string_view text) {
  std::map<std::int32_t, std::int32_t> levels;
  for (;;) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view item = text.substr(0, end);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return std::nullopt;
    }
    const auto id = module_id(item.substr(0, equals));
    const auto level = level_digit(item.substr(equals + 1));
    if (!id || !level) {
      return std::nullopt;
    }
    levels[*id] = *level;
    if (end == text.size()) {
      return levels;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view channel_name(Channel channel) {
  switch (channel) {
    case Channel::debug:
      return "debug";
    case Channel::run:
      return "run";
    case Channel::security:
      break;
  }
  return "security";
}

std::string module_name(std::int32_t id) {
  const auto* const found = std::find_if(
      kModules.begin(), kModules.end(),
      [plain = without_mask(id)](const auto& module) { return module.first == plain; });
  return found == kModules.end() ? std::to_string(without_mask(id)) : std::string(found->second);
}

std::optional<std::int32_t> module_id(std::string_view name) {
  const auto* const found =
      std::find_if(kModules.begin(), kModules.end(),
                   [name](const auto& module) { return module.second == name; });
  if (found == kModules.end()) {
    return std::nullopt;
  }
  return found->first;
}

LevelRules level_rules(const char* global, const char* modules, const char* events) {
  LevelRules rules;
  if (global != nullptr) {
    rules.global = level_digit(global).value_or(rules.global);
  }
  if (modules != nullptr) {
    rules.by_module = parse_modules(modules).value_or(rules.by_module);
  }
  rules.events = events == nullptr || std::string_view(events) != "0";
  rules.below_error_set =
      rules.global < DLOG_ERROR ||
      std::any_of(rules.by_module.begin(), rules.by_module.end(),
                  [](const auto& module) { return module.second < DLOG_ERROR; });
  return rules;
}

std::optional<Channel> channel_of(const LevelRules& rules, std::int32_t module,
                                  std::int32_t level) {
  if (level == DLOG_EVENT) {
    return rules.events ? std::optional(Channel::run) : std::nullopt;
  }
  const auto mask = static_cast<std::uint32_t>(module);
  if ((mask & RUN_LOG_MASK) != 0) {
    return level >= DLOG_INFO ? std::optional(Channel::run) : std::nullopt;
  }
  if ((mask & SECURITY_LOG_MASK) != 0) {
    return level >= DLOG_INFO ? std::optional(Channel::security) : std::nullopt;
  }
  const auto own = rules.by_module.find(without_mask(module));
  const std::int32_t threshold = own == rules.by_module.end() ? rules.global : own->second;
  const bool recorded = threshold < DLOG_NULL && level >= threshold;
  return recorded ? std::optional(Channel::debug) : std::nullopt;
}

}  // namespace standin::plog
