#include "agent/box_desk.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "common/error.h"
#include "common/os/examine.h"
#include "common/os/identity.h"
#include "common/shared_library.h"
#include "common/version.h"

namespace mstune::agent {
namespace {

constexpr std::size_t kQuestionsMax = 16;               // waiting; nobody needs more at once
constexpr std::size_t kLeasesMax = 16;                  // of passes, by one client
constexpr std::size_t kHolderNameMax = 160;             // a client's name and one of its choice
constexpr Duration kReadMax = std::chrono::seconds(3);  // GE's libraries, for one question

std::string cann_env_of(const std::variant<protocol::Examine, protocol::ManagePass>& what) {
  return std::visit([](const auto& request) { return request.cann_env; }, what);
}

protocol::Report refusal(const std::variant<protocol::Examine, protocol::ManagePass>& what,
                         const Message& why) {
  if (std::holds_alternative<protocol::Examine>(what)) {
    return protocol::Examined{{}, why};
  }
  return protocol::PassManaged{"", false, why};
}

// GE would refuse a library for another machine, and with it everything else.
void check_library(const std::string& bytes) {
  const auto library = read_shared_library(bytes);
  if (!library || !is_tuning_pass(*library)) {
    throw usage_error("pass.not_a_pass_here",
                      "what was sent is not the tuning pass of this release");
  }
  if (const std::string here = os::architecture(); library->architecture != here) {
    throw usage_error("pass.other_architecture_here",
                      "the pass is for {}, the agent's machine is {}: build it there (cmake -S "
                      "pass -B build-pass) and name the library with --library",
                      library->architecture, here);
  }
}

std::string opp_path_of(const Environment& environment) {
  const std::string opp = value_of(environment, "ASCEND_OPP_PATH");
  if (opp.empty()) {
    throw environment_error("pass.no_opp_path_here",
                            "the agent has no CANN in its environment: name its set_env.sh as "
                            "\"cann_env\" in the target file");
  }
  return opp;
}

std::string holder_of(const protocol::ManagePass& request) {
  return request.hold.substr(0, kHolderNameMax);
}

std::string owner_of(const std::string& holder) {
  return message("agent.pass_holder", "a campaign of {}", holder).text;
}

}  // namespace

BoxDesk::BoxDesk(std::filesystem::path work_dir, CannEnvironments& environments)
    : work_dir_(std::move(work_dir)),
      environments_(environments),
      owners_(work_dir_ / "pass-owners") {
  take_over_passes();
}

BoxDesk::~BoxDesk() {
  let_go_of_all();
}

bool BoxDesk::handle(const std::string& campaign, const std::string& client,
                     const protocol::Request& request, std::string& payload) {
  Question question;
  question.campaign = campaign;
  question.client = client;
  if (const auto* examine = std::get_if<protocol::Examine>(&request)) {
    question.what = *examine;
  } else if (const auto* manage = std::get_if<protocol::ManagePass>(&request)) {
    question.what = *manage;
  } else {
    return false;
  }
  const auto* manage = std::get_if<protocol::ManagePass>(&request);
  if (manage != nullptr && manage->action == protocol::kPassRenew) {
    renew(campaign, holder_of(*manage));
    return true;
  }
  try {
    auto whole = manage == nullptr ? std::optional(std::move(payload))
                                   : pieces_.add(campaign, *manage, std::move(payload));
    if (whole) {
      question.payload = std::move(*whole);
      wait_in_line(std::move(question));
    }
  } catch (const Error& error) {
    reports_.emplace_back(campaign, refusal(question.what, error.message()));
  }
  return true;
}

void BoxDesk::wait_in_line(Question question) {
  if (questions_.size() >= kQuestionsMax) {
    reports_.emplace_back(question.campaign,
                          refusal(question.what, message("agent.too_many_questions",
                                                         "too many questions wait: ask again")));
  } else {
    questions_.push_back(std::move(question));
  }
}

void BoxDesk::forget(const std::string& campaign) {
  pieces_.forget(campaign);
  std::erase_if(questions_,
                [&](const Question& question) { return question.campaign == campaign; });
}

void BoxDesk::step(const LeaseRules& rules, bool measuring, TimePoint now) {
  std::erase_if(questions_, [&](Question& question) {
    auto report = answer(question, measuring, now);
    if (report) {
      reports_.emplace_back(question.campaign, std::move(*report));
    }
    return report.has_value();
  });
  end_leases(rules, now);
}

bool BoxDesk::look(Question& question, const Environment& environment, bool measuring,
                   TimePoint now) {
  if (!question.look) {
    question.look = std::make_unique<DeviceLook>(environment, now);
    question.recorder.emplace(os::library_directories(environment));
    question.read_until = after(now, kReadMax);
  }
  question.reads = !measuring && now < question.read_until && !question.recorder->step();
  return question.look->step(now) && !question.reads;
}

std::optional<protocol::Report> BoxDesk::answer(Question& question, bool measuring, TimePoint now) {
  try {
    const auto known = environments_.find(cann_env_of(question.what), question.campaign, now);
    if (!known) {
      return std::nullopt;
    }
    if (const auto* failure = std::get_if<Message>(&*known)) {
      return refusal(question.what, *failure);
    }
    const auto& environment = std::get<Environment>(*known);
    if (const auto* request = std::get_if<protocol::ManagePass>(&question.what)) {
      return manage(question, *request, environment);
    }
    if (!look(question, environment, measuring, now)) {
      return std::nullopt;
    }
    protocol::Examined examined{examine(environment), {}};
    question.look->put(examined.facts);
    examined.facts.recorder = question.recorder->result();
    return examined;
  } catch (const Error& error) {
    return refusal(question.what, error.message());
  }
}

std::vector<int> BoxDesk::descriptors() const {
  std::vector<int> descriptors;
  for (const Question& question : questions_) {
    if (question.look) {
      const std::vector<int> more = question.look->descriptors();
      descriptors.insert(descriptors.end(), more.begin(), more.end());
    }
  }
  return descriptors;
}

TimePoint BoxDesk::deadline() const {
  TimePoint earliest = kNever;
  for (const Question& question : questions_) {
    if (question.reads) {
      return TimePoint::min();
    }
    if (question.look) {
      earliest = std::min(earliest, question.look->deadline());
    }
  }
  for (const auto& [holder, held] : held_) {
    earliest = std::min(earliest, held.ends);
  }
  return earliest;
}

BoxFacts BoxDesk::examine(const Environment& environment) const {
  os::ExamineRequest request;
  request.variables = environment;
  request.work_directory = work_dir_;
  request.plog_root = work_dir_ / "trials" / "01234567-1000" / "plog";
  request.software = kVersion;
  BoxFacts facts = os::examine(request);
  facts.agent = (os::program_directory() / "mstune-agent").string();
  return facts;
}

// A holder's name begins with its client's.
void BoxDesk::check_leases(const std::string& holder) const {
  const std::string client = holder.substr(0, holder.find(' ') + 1);
  const auto leases = std::count_if(held_.begin(), held_.end(), [&](const auto& entry) {
    return entry.first.starts_with(client);
  });
  if (static_cast<std::size_t>(leases) >= kLeasesMax) {
    throw usage_error("agent.too_many_leases",
                      "this client holds the pass for {} campaigns already: let one go before the "
                      "next (mstune ends its own when a run is over)",
                      leases);
  }
}

protocol::PassManaged BoxDesk::manage(const Question& question, const protocol::ManagePass& request,
                                      const Environment& environment) {
  const std::string& library = question.payload;
  const std::string opp_path = opp_path_of(environment);
  const os::PassFolder folder(opp_path);
  const std::string holder = holder_of(request);
  protocol::PassManaged done{folder.library().string(), folder.is_installed(), {}};
  if (request.action == protocol::kPassInstall) {
    check_library(library);
    owners_.check(folder, question.client);
    folder.install(library);
    owners_.note(folder, question.client);
  } else if (request.action == protocol::kPassRemove) {
    owners_.check(folder, question.client);
    done.was_there = folder.remove();
    owners_.note(folder, {});
  } else if (request.action == protocol::kPassRemoveSamples) {
    const std::vector<std::string> removed = folder.remove_samples();
    done.path = fmt::format("{}", fmt::join(removed, ", "));
    done.was_there = !removed.empty();
  } else if (request.action == protocol::kPassHold) {
    check_library(library);
    let_go(holder);
    check_leases(holder);
    auto held = std::make_unique<os::HeldPass>(folder, library, owner_of(holder));
    done.was_there = !held->is_managed();
    held_[holder] = Held{opp_path, std::move(held)};
    write_held();
  } else if (request.action == protocol::kPassRelease) {
    done.was_there = held_.contains(holder);
    if (const auto failure = let_go(holder)) {
      done.failure = *failure;
    }
  } else {
    throw usage_error("agent.unknown_pass_action", "this agent cannot \"{}\" a pass",
                      request.action);
  }
  return done;
}

std::vector<std::pair<std::string, protocol::Report>> BoxDesk::take_reports() {
  return std::exchange(reports_, {});
}

}  // namespace mstune::agent
