#include "coordinator/managed_pass.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/identity.h"
#include "coordinator/inquiry.h"
#include "coordinator/pass_place.h"

namespace mstune::coordinator {
namespace {

Message stays(const std::string& library) {
  return message("pass.stays",
                 "the pass was installed before, to stay: {} is left as it is and is not removed "
                 "after the run (mstune pass remove does)",
                 library);
}

Message for_this_run(const std::string& library) {
  return message("pass.for_this_run", "the pass is at {} for the time of this run", library);
}

}  // namespace

ManagedPass::ManagedPass(Options options, Note note)
    : options_(std::move(options)), note_(std::move(note)) {
  options_.owner = fmt::format("{} on {}", options_.owner, os::host_name());
  if (options_.target) {
    hold_there();
  } else {
    hold_here();
  }
}

ManagedPass::~ManagedPass() {
  if (const auto failure = release()) {
    note_(*failure);
  }
}

std::optional<Message> ManagedPass::release() {
  if (here_) {
    return here_->release();
  }
  return release_there();
}

std::optional<protocol::ManagePass> ManagedPass::renewal() const {
  if (there_.empty()) {
    return std::nullopt;
  }
  return protocol::ManagePass{protocol::kPassRenew, options_.target->cann_env, options_.owner};
}

void ManagedPass::hold_here() {
  const os::PassFolder folder = pass_folder(variables_of(options_.environment));
  const std::string library = folder.library().string();
  here_ = std::make_unique<os::HeldPass>(
      folder, find_pass_library(options_.library, os::architecture()), options_.owner);
  if (!here_->is_managed()) {
    note_(stays(library));
  } else if (here_->took_over()) {
    note_(message("pass.taken_over",
                  "an earlier run had left the pass at {}; this run removes it in the end",
                  library));
  } else {
    note_(for_this_run(library));
  }
}

void ManagedPass::hold_there() {
  Inquiry inquiry(*options_.target, options_.environment, options_.connect_timeout);
  const auto done =
      inquiry.manage_pass({protocol::kPassHold, options_.target->cann_env, options_.owner},
                          find_pass_library(options_.library, inquiry.welcome().architecture));
  if (!done.was_there) {
    there_ = done.path;
  }
  note_(done.was_there ? stays(done.path) : for_this_run(done.path));
}

std::optional<Message> ManagedPass::release_there() {
  const std::string library = std::exchange(there_, {});
  if (library.empty()) {
    return std::nullopt;
  }
  const auto unknown = [&](const Message& why) {
    return message("pass.not_confirmed",
                   "{}: it is not known whether the pass was removed from {}, where it records "
                   "every step of every program that asks for it: {}; look with \"mstune pass "
                   "status\", and remove it with \"mstune pass remove\"",
                   title(*options_.target), library, why);
  };
  try {
    Inquiry inquiry(*options_.target, options_.environment, options_.connect_timeout);
    const std::string& cann_env = options_.target->cann_env;
    const auto done = inquiry.manage_pass({protocol::kPassRelease, cann_env, options_.owner}, {});
    if (done.was_there) {
      return std::nullopt;
    }
    // It had let go before: because it heard nothing for long, or because it was started again.
    const BoxFacts facts = inquiry.examine(cann_env).facts;
    const bool is_there =
        std::any_of(facts.passes.begin(), facts.passes.end(),
                    [&](const PassLibrary& pass) { return pass.path == library; });
    const bool is_held = std::any_of(facts.leases.begin(), facts.leases.end(),
                                     [](const PassLease& lease) { return lease.alive; });
    if (!is_there || is_held) {
      return std::nullopt;
    }
    return unknown(message("pass.holder_gone", "the agent does not hold it any more"));
  } catch (const Error& error) {
    return unknown(error.message());
  }
}

}  // namespace mstune::coordinator
