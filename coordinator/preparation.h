// From the options of a campaign, and the targets that they name, to all that a session needs.
#pragma once

#include <string>
#include <vector>

#include "coordinator/managed_pass.h"
#include "coordinator/session.h"
#include "coordinator/tune_options.h"

namespace mstune::coordinator {

// Everything that follows from options and target, before anything runs.
struct Preparation {
  CampaignDocument document;
  SessionOptions session;  // without trials
  std::vector<std::string> environment;
  std::vector<Message> notes;
  bool local = true;
  std::vector<ManagedPass::Options> passes;  // none: the pass is none of our business
};

// Reads the target file. Throws usage errors.
Preparation prepare(const TuneOptions& options, const std::vector<std::string>& environment);

}  // namespace mstune::coordinator
