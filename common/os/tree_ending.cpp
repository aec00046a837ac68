#include "common/os/tree_ending.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <unordered_map>
#include <unordered_set>

namespace mstune::os {
namespace {

bool take_number(std::string_view& text, auto& number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return failure == std::errc{};
}

}  // namespace

bool parse_stat(std::string_view text, ProcessInfo& result) {
  // "42 (a name) S 1 42 42 …": the name may hold anything, so it ends at the last bracket.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      close + 2 >= text.size()) {
    return false;
  }
  std::string_view id = text.substr(0, open);
  result.name = text.substr(open + 1, close - open - 1);
  result.state = text[close + 2];
  std::string_view rest = text.substr(close + 3);
  const bool good = take_number(id, result.key.id) && take_number(rest, result.parent) &&
                    take_number(rest, result.group) && take_number(rest, result.session);
  constexpr int kFieldsBetween = 15;  // fields 7 to 21, terminal to itrealvalue
  for (int field = 0; field < kFieldsBetween; ++field) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  return good && take_number(rest, result.key.start_ticks);
}

std::vector<ProcessInfo> select_tree(const std::vector<ProcessInfo>& all, pid_t leader,
                                     const std::vector<ProcessKey>& seen, pid_t self) {
  std::unordered_multimap<pid_t, const ProcessInfo*> children;
  std::unordered_set<pid_t> members;
  std::vector<pid_t> open;
  for (const ProcessInfo& process : all) {
    children.emplace(process.parent, &process);
    const bool led = leader > 0 && (process.key.id == leader || process.session == leader ||
                                    process.group == leader);
    const bool known = std::find(seen.begin(), seen.end(), process.key) != seen.end();
    if (process.key.id != self && (process.marked || led || known)) {
      open.push_back(process.key.id);
    }
  }
  while (!open.empty()) {
    const pid_t member = open.back();
    open.pop_back();
    if (member == self || !members.insert(member).second) {
      continue;
    }
    const auto [begin, end] = children.equal_range(member);
    std::for_each(begin, end, [&](const auto& entry) { open.push_back(entry.second->key.id); });
  }
  std::vector<ProcessInfo> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), [&](const ProcessInfo& process) {
    return members.contains(process.key.id) && process.state != 'Z' && process.state != 'X';
  });
  return result;
}

std::vector<ProcessInfo> select_below(const std::vector<ProcessInfo>& all, pid_t root) {
  std::unordered_set<pid_t> members{root};
  std::vector<ProcessInfo> result;
  // A child may stand before its parent in the list.
  for (std::size_t known = 0; known != members.size();) {
    known = members.size();
    for (const ProcessInfo& process : all) {
      if (members.contains(process.parent) && members.insert(process.key.id).second) {
        result.push_back(process);
      }
    }
  }
  return result;
}

EndingStep TreeEnding::handle(const std::vector<ProcessInfo>& alive, TimePoint now) {
  if (kill_at_ == kNever) {
    kill_at_ = after(now, limits_.term_grace);
    stuck_at_ = after(kill_at_, limits_.kill_grace);
  }
  EndingStep step;
  if (alive.empty()) {
    step.state = EndingState::gone;
    deadline_ = kNever;
    return step;
  }
  const bool killing = now >= kill_at_;
  step.signal = killing ? SIGKILL : SIGTERM;
  // SIGTERM goes to each process once: many programs take a second one as "at once".
  step.to_group = killing;
  for (const ProcessInfo& process : alive) {
    if (!killing) {
      if (std::find(asked_.begin(), asked_.end(), process.key) != asked_.end()) {
        continue;
      }
      asked_.push_back(process.key);
    }
    step.targets.push_back(process.key);
  }
  if (step.targets.empty()) {
    step.signal = 0;
  }
  if (now >= stuck_at_) {
    // Signalled once more: a process that gets out of its system call then ends by itself.
    step.state = EndingState::stuck;
    deadline_ = kNever;
    return step;
  }
  const TimePoint limit = killing ? stuck_at_ : kill_at_;
  deadline_ = std::min(limit, after(now, limits_.look_every));
  return step;
}

}  // namespace mstune::os
