// Passes that the box's desk holds for campaigns: written down, so that the agent that is started
// after this one was killed knows them.
#include <fmt/format.h>

#include "agent/box_desk.h"
#include "common/error.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeldFile = "passes";

void complain(const Error& error) {
  fmt::print(stderr, "mstune-agent: {}\n", error.what());
}

}  // namespace

// One line each: "OPP_PATH<tab>HOLDER".
void BoxDesk::write_held() const {
  const fs::path file = work_dir_ / kHeldFile;
  try {
    if (held_.empty()) {
      os::remove_tree(file);
      return;
    }
    os::make_directory(work_dir_);
    std::string text;
    for (const auto& [holder, held] : held_) {
      text += fmt::format("{}\t{}\n", held.opp_path, holder);
    }
    os::write_file_atomically(file, text, 0600);
  } catch (const Error& error) {
    complain(error);  // it is held all the same
  }
}

void BoxDesk::take_over_passes() {
  const fs::path file = work_dir_ / kHeldFile;
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    return;
  }
  try {
    const std::string text = os::read_file(file, std::uint64_t{1} << 20U);
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      const auto tab = line.find('\t');
      if (tab == std::string::npos) {
        continue;
      }
      const std::string opp_path = line.substr(0, tab);
      const std::string holder = line.substr(tab + 1);
      auto pass = os::HeldPass::take_over(
          os::PassFolder(opp_path), message("agent.pass_holder", "a campaign of {}", holder).text);
      if (pass) {
        held_[holder] = Held{opp_path, std::move(pass)};
      }
    }
  } catch (const Error& error) {
    complain(error);
  }
  write_held();
}

// It needs no environment, and nothing is started for it beside a program that is measured.
void BoxDesk::renew(const std::string& campaign, const std::string& holder) {
  const auto found = held_.find(holder);
  if (found != held_.end()) {
    found->second.renewed.reset();
    return;
  }
  reports_.emplace_back(
      campaign, protocol::PassManaged{
                    "", false,
                    message("agent.pass_not_held",
                            "the pass is not held for this run any more: nothing was heard of the "
                            "run for the agent's grace time, or it had no trial there for the "
                            "run-time of agent.conf; programs that start now are not recorded")});
}

void BoxDesk::end_leases(const LeaseRules& rules, TimePoint now) {
  std::vector<std::string> over;
  for (auto& [holder, held] : held_) {
    if (rules.has_trials && rules.has_trials(holder)) {
      held.renewed = now;
      held.worked = now;
    }
    held.renewed = held.renewed.value_or(now);
    held.worked = held.worked.value_or(now);
    held.ends = after(*held.renewed, rules.silence_max);
    if (rules.idle_max > Duration::zero()) {
      held.ends = std::min(held.ends, after(*held.worked, rules.idle_max));
    }
    if (now >= held.ends) {
      over.push_back(holder);
    }
  }
  for (const std::string& holder : over) {
    if (const auto failure = let_go(holder)) {
      fmt::print(stderr, "mstune-agent: {}\n", failure->text);
    }
  }
}

std::optional<Message> BoxDesk::let_go(const std::string& holder) {
  const auto found = held_.find(holder);
  if (found == held_.end()) {
    return std::nullopt;
  }
  auto failure = found->second.pass->release();
  held_.erase(found);
  write_held();
  return failure;
}

void BoxDesk::let_go_of_all() {
  if (held_.empty()) {
    return;
  }
  for (const auto& [holder, held] : held_) {
    if (const auto failure = held.pass->release()) {
      fmt::print(stderr, "mstune-agent: {}\n", failure->text);
    }
  }
  held_.clear();
  write_held();
}

}  // namespace mstune::agent
