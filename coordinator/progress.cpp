#include "coordinator/progress.h"

#include <ostream>

#include <fmt/format.h>

#include "coordinator/report_table.h"

namespace mstune::coordinator {
namespace {

// Lines of a failed program's output, set apart from ours.
std::string indented(const std::string& text) {
  std::string result = "        | ";
  for (const char c : text) {
    result += c;
    if (c == '\n') {
      result += "        | ";
    }
  }
  return result + "\n";
}

}  // namespace

void Progress::say(const Message& what) {
  out_ << what.text << "\n" << std::flush;
}

void Progress::campaign(const CampaignDocument& campaign, const std::string& run_directory) {
  std::vector<std::string> names;
  for (const Candidate& candidate : campaign.candidates) {
    names.push_back(name(candidate));
  }
  say(message("progress.candidates", "candidates ({} x {} rounds): {}", names.size(),
              campaign.repeat, fmt::format("{}", fmt::join(names, ", "))));
  say(message("progress.run_directory", "run directory: {}", run_directory));
}

void Progress::building(const Candidate& candidate) {
  say(message("progress.building", "[build] {} ...", name(candidate)));
}

void Progress::built(const Candidate& candidate, double seconds, const std::string& path) {
  say(message("progress.built", "[build] {}: {} in {}", name(candidate), path,
              duration_text(seconds)));
}

void Progress::uploaded(const Candidate& candidate, std::uint64_t size, std::uint64_t sent) {
  say(message("progress.uploaded", "[upload] {}: {}, {} sent", name(candidate), size_text(size),
              size_text(sent)));
}

void Progress::started(const Trial& trial, const std::string& command) {
  say(message("progress.trial", "[{}] {}: {}", fmt::format("{:03}", trial.index), title(trial),
              command));
}

void Progress::recorded(const EvaluatedTrial& trial, const std::string& output_tail) {
  say(message("progress.trial", "[{}] {}: {}", fmt::format("{:03}", trial.trial.index),
              title(trial.trial), trial_result_text(trial)));
  const bool failed = trial.outcome.exit_code.value_or(0) != 0;
  if (failed && !output_tail.empty()) {
    out_ << indented(output_tail) << std::flush;
  }
}

void Progress::decided(const Message& what) {
  say(message("progress.look", "[look] {}", what.text));
}

void Progress::note(const Message& what) {
  if (told_.insert(what.text).second) {
    say(message("progress.note", "note: {}", what.text));
  }
}

}  // namespace mstune::coordinator
