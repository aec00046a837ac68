#include "coordinator/managed_pass.h"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/identity.h"
#include "coordinator/inquiry.h"
#include "coordinator/pass_place.h"

namespace mstune::coordinator {
namespace {

constexpr Duration kConnectMax = std::chrono::seconds(20);

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
    : options_(std::move(options)),
      note_(std::move(note)),
      name_(fmt::format("process {} on {}", ::getpid(), os::host_name())) {
  if (options_.target) {
    hold_there();
  } else {
    hold_here();
  }
}

ManagedPass::~ManagedPass() {
  try {
    if (const auto failure = here_ ? here_->release() : std::nullopt) {
      note_(*failure);
    }
    release_there();
  } catch (const Error& error) {
    note_(error.message());
  }
}

void ManagedPass::hold_here() {
  const os::PassFolder folder = pass_folder(variables_of(options_.environment));
  const std::string library = folder.library().string();
  here_ = std::make_unique<os::HeldPass>(
      folder, find_pass_library(options_.library, os::architecture()), name_);
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
  Inquiry inquiry(*options_.target, options_.environment, kConnectMax);
  const auto done =
      inquiry.manage_pass({protocol::kPassHold, options_.target->cann_env, name_},
                          find_pass_library(options_.library, inquiry.welcome().architecture));
  there_ = true;
  note_(done.was_there ? stays(done.path) : for_this_run(done.path));
}

void ManagedPass::release_there() {
  if (std::exchange(there_, false)) {
    Inquiry inquiry(*options_.target, options_.environment, kConnectMax);
    inquiry.manage_pass({protocol::kPassRelease, options_.target->cann_env, name_}, {});
  }
}

}  // namespace mstune::coordinator
