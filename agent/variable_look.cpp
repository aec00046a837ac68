#include "agent/variable_look.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "agent/exited_limits.h"

namespace mstune::agent {
namespace {

// ASCEND_RT_VISIBLE_DEVICES is not among them: programs narrow it for their workers.
constexpr std::array<const char*, 4> kTold{
    "ASCEND_PROCESS_LOG_PATH", "GE_AUTO_MULTISTREAM_PARALLEL_MODE", "ASCEND_LOG_PRINT_TO_STDOUT",
    "ASCEND_SLOG_PRINT_TO_STDOUT"};

}  // namespace

VariableLook::VariableLook(const std::vector<std::string>& given, std::uint32_t own) : own_(own) {
  const Environment all = parse_environment(given);
  for (const char* name : kTold) {
    if (const auto found = all.find(name); found != all.end()) {
      given_.insert(*found);
    }
  }
}

void VariableLook::take(const std::vector<SeenProcess>& processes) {
  if (processes.empty()) {
    return;
  }
  seen_ = processes.size();
  unreadable_ = 0;
  other_owner_.reset();
  std::set<std::string> lost;
  std::set<std::string> changed;
  for (const SeenProcess& process : processes) {
    if (process.owner && *process.owner != own_) {
      other_owner_ = process.owner;
    }
    if (!process.environment) {
      ++unreadable_;
      continue;
    }
    const Environment has = parse_environment(std::string_view(*process.environment));
    for (const auto& [name, value] : given_) {
      const auto found = has.find(name);
      if (found == has.end()) {
        lost.insert(name);
      } else if (found->second != value) {
        changed.insert(name + "=" + found->second);
      }
    }
  }
  if (unreadable_ < seen_) {
    lost_ = fmt::format("{}", fmt::join(lost, " "));
    changed_ = fmt::format("{}", fmt::join(changed, ", "));
  }
}

void VariableLook::add_facts(protocol::Facts& facts) const {
  add_fact(facts, "agent_uid", static_cast<std::int64_t>(own_));
  if (seen_ == 0) {
    return;
  }
  add_fact(facts, "processes_seen", static_cast<std::int64_t>(seen_));
  add_fact(facts, "processes_unreadable", static_cast<std::int64_t>(unreadable_));
  add_fact(facts, "variables_lost", lost_);
  add_fact(facts, "variables_changed", changed_);
  if (other_owner_) {
    add_fact(facts, "program_uid", static_cast<std::int64_t>(*other_owner_));
  }
}

}  // namespace mstune::agent
