#include "coordinator/shown_words.h"

#include <cmath>

#include <fmt/format.h>

namespace mstune::coordinator {

Message word_message(Evidence evidence) {
  switch (evidence) {
    case Evidence::proven:
      return message("word.proven", "proven");
    case Evidence::likely:
      return message("word.likely", "likely");
    case Evidence::slower:
      return message("word.slower", "slower");
    case Evidence::equivalent:
      return message("word.equivalent", "equivalent");
    case Evidence::inconclusive:
      break;
  }
  return message("word.inconclusive", "inconclusive");
}

Message word_message(Verdict verdict) {
  switch (verdict) {
    case Verdict::improvement:
      return message("word.improvement", "improvement");
    case Verdict::neutral:
      return message("word.neutral", "neutral");
    case Verdict::regression:
      return message("word.regression", "regression");
    case Verdict::no_baseline:
      return message("word.no_baseline", "no_baseline");
    case Verdict::invalid:
      break;
  }
  return message("word.invalid", "invalid");
}

Message interval_message(const Interval& interval) {
  return message("word.interval", "{} to {}", fmt::format("{:.3f}", std::exp(interval.low)),
                 fmt::format("{:.3f}", std::exp(interval.high)));
}

namespace {

Message title_without_device(const Trial& trial) {
  switch (trial.purpose) {
    case Purpose::control:
      return message("trial.title_control", "{} (control) round {}", name(trial.candidate),
                     trial.repeat);
    case Purpose::confirm:
      return message("trial.title_confirm", "{} (confirm) round {}", name(trial.candidate),
                     trial.repeat);
    case Purpose::measure:
      break;
  }
  return message("trial.title", "{} round {}", name(trial.candidate), trial.repeat);
}

}  // namespace

std::string milliseconds_text(double microseconds) {
  return fmt::format("{:.3f}", microseconds / 1000);
}

std::string name_list(const std::vector<Candidate>& candidates) {
  std::string list;
  for (const Candidate& candidate : candidates) {
    list += (list.empty() ? "" : ", ") + name(candidate);
  }
  return list;
}

Message title_message(const Trial& trial) {
  const Message title = title_without_device(trial);
  return trial.device ? message("trial.title_device", "{} on device {}", title, *trial.device)
                      : title;
}

}  // namespace mstune::coordinator
