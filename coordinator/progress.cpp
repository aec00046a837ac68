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

void Progress::campaign(const CampaignDocument& campaign, const std::string& run_directory) {
  std::vector<std::string> names;
  for (const Candidate& candidate : campaign.candidates) {
    names.push_back(name(candidate));
  }
  out_ << fmt::format("candidates ({} x {} rounds): {}\n", names.size(), campaign.repeat,
                      fmt::join(names, ", "))
       << fmt::format("run directory: {}\n", run_directory) << std::flush;
}

void Progress::building(const Candidate& candidate) {
  out_ << fmt::format("[build] {} ...\n", name(candidate)) << std::flush;
}

void Progress::built(const Candidate& candidate, double seconds, const std::string& path) {
  out_ << fmt::format("[build] {}: {} in {}\n", name(candidate), path, duration_text(seconds))
       << std::flush;
}

void Progress::uploaded(const Candidate& candidate, std::uint64_t size, std::uint64_t sent) {
  out_ << fmt::format("[upload] {}: {}, {} sent\n", name(candidate), size_text(size),
                      size_text(sent))
       << std::flush;
}

void Progress::started(const Trial& trial, const std::string& command) {
  out_ << fmt::format("[{:03}] {}: {}\n", trial.index, title(trial), command) << std::flush;
}

void Progress::recorded(const EvaluatedTrial& trial, const std::string& output_tail) {
  out_ << fmt::format("[{:03}] {}: {}\n", trial.trial.index, title(trial.trial),
                      trial_result_text(trial));
  const bool failed = trial.outcome.exit_code.value_or(0) != 0;
  if (failed && !output_tail.empty()) {
    out_ << indented(output_tail);
  }
  out_ << std::flush;
}

void Progress::decided(const Message& what) {
  out_ << fmt::format("[look] {}\n", what.text) << std::flush;
}

void Progress::note(const Message& what) {
  if (told_.insert(what.text).second) {
    out_ << "note: " << what.text << "\n" << std::flush;
  }
}

}  // namespace mstune::coordinator
