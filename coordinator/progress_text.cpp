#include <fmt/format.h>

#include "common/language.h"
#include "common/visible.h"
#include "coordinator/progress_events.h"
#include "coordinator/report_table.h"
#include "coordinator/shown_words.h"

namespace mstune::coordinator {
namespace {

// Lines of a failed program's output, set apart from ours.
std::string indented(const std::string& text) {
  std::string result = "        | ";
  for (const char c : visible(text)) {
    result += c;
    if (c == '\n') {
      result += "        | ";
    }
  }
  return result + "\n";
}

std::string line(const Message& what) {
  return said(what) + '\n';
}

std::string number(const Trial& trial) {
  return fmt::format("{:03}", trial.index);
}

std::string text_of(const CampaignBegun& event) {
  std::vector<std::string> names;
  for (const Candidate& candidate : event.candidates) {
    names.push_back(name(candidate));
  }
  return line(message("progress.candidates", "candidates ({} x {} rounds): {}", names.size(),
                      event.rounds, fmt::format("{}", fmt::join(names, ", ")))) +
         line(message("progress.run_directory", "run directory: {}", event.run_directory));
}

std::string text_of(const TrialsPlanned& /*event*/) {
  return "";
}

std::string text_of(const BuildBegun& event) {
  return line(message("progress.building", "[build] {} ...", name(event.candidate)));
}

std::string text_of(const BuildDone& event) {
  return line(message("progress.built", "[build] {}: {} in {}", name(event.candidate), event.path,
                      duration_text(event.seconds)));
}

std::string text_of(const BuildLost& event) {
  const std::string text =
      line(message("progress.build_failed", "[build] {}: failed", name(event.candidate)));
  return event.output_tail.empty() ? text : text + indented(event.output_tail);
}

std::string text_of(const UploadDone& event) {
  return line(message("progress.uploaded", "[upload] {}: {}, {} sent", name(event.candidate),
                      size_text(event.size), size_text(event.sent)));
}

std::string text_of(const TrialBegun& event) {
  return line(message("progress.trial", "[{}] {}: {}", number(event.trial),
                      title_message(event.trial), event.command));
}

std::string text_of(const StepsSeen& /*event*/) {
  return "";
}

std::string text_of(const TrialDone& event) {
  const std::string text =
      line(message("progress.trial", "[{}] {}: {}", number(event.trial.trial),
                   title_message(event.trial.trial), trial_result_text(event.trial)));
  const bool failed = event.trial.outcome.exit_code.value_or(0) != 0;
  return failed && !event.output_tail.empty() ? text + indented(event.output_tail) : text;
}

std::string text_of(const Decided& event) {
  return line(message("progress.look", "[look] {}", event.what));
}

std::string text_of(const Noted& event) {
  return line(message("progress.note", "note: {}", event.what));
}

}  // namespace

std::string plain_text(const ProgressEvent& event) {
  return std::visit([](const auto& each) { return text_of(each); }, event);
}

}  // namespace mstune::coordinator
