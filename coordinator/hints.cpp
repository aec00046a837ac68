#include "coordinator/hints.h"

#include <algorithm>
#include <cmath>

#include "common/language.h"

namespace mstune::coordinator {
namespace {

// Speedups closer to 1 than this are alike, whatever the noise.
constexpr double kAlikeShare = 0.01;
// From here on model ids are those of the executor for dynamic shapes.
constexpr Integer kDynamicModelIdMin = 0x7F000000;

bool has_code(const EvaluatedTrial& trial, std::string_view code) {
  const auto& reasons = trial.evaluation.reasons;
  return std::any_of(reasons.begin(), reasons.end(),
                     [&](const Reason& reason) { return reason.code == code; });
}

bool has_run(const EvaluatedTrial& trial) {
  return trial.outcome.exit_code.has_value() || trial.outcome.exit_unknown;
}

std::size_t count(const std::vector<EvaluatedTrial>& trials, std::string_view code) {
  return static_cast<std::size_t>(
      std::count_if(trials.begin(), trials.end(),
                    [&](const EvaluatedTrial& trial) { return has_code(trial, code); }));
}

bool is_offline(const Symptoms& symptoms) {
  return symptoms.campaign.compile_command.has_value();
}

// The words for `mstune doctor` in this campaign.
std::string doctor_command(const Symptoms& symptoms) {
  std::string command = "mstune doctor";
  if (is_offline(symptoms)) {
    command += " --mode offline";
  }
  return symptoms.campaign.target_host ? command + " --target FILE" : command;
}

// How its program ended explains by itself why there is no record.
bool has_failed(const EvaluatedTrial& trial) {
  return has_code(trial, "exit_status") || has_code(trial, "killed") || has_code(trial, "timeout");
}

void add_no_record(const Symptoms& symptoms, std::vector<Message>& hints) {
  std::size_t ran = 0;
  std::size_t silent = 0;
  for (const EvaluatedTrial& trial : symptoms.trials) {
    if (!has_failed(trial)) {
      ran += has_run(trial) ? 1U : 0U;
      silent += has_code(trial, "no_record") ? 1U : 0U;
    }
  }
  if (silent == 0) {
    return;
  }
  if (silent < ran) {
    hints.push_back(message("hint.some_without_record",
                            "{} of {} runs have no STEP record: a process that is killed or calls "
                            "_exit loses what it has not written yet; let the program end "
                            "normally",
                            silent, ran));
    return;
  }
  if (is_offline(symptoms)) {
    hints.push_back(message("hint.no_record_offline",
                            "no run has a STEP record. Was the pass in place here when the OMs "
                            "were built? Run: {}. If it was: the program executes through what GE "
                            "does not record (aclmdlExecuteAsyncV2, DFlow), the model is an OM2 "
                            "(it cannot be tuned), the target's \"cann_env\" is not set, or that "
                            "CANN is older than the recording",
                            doctor_command(symptoms)));
  } else {
    hints.push_back(message("hint.no_record_online",
                            "no run has a STEP record. Is the pass in place where the program "
                            "runs? Run: {}. If it is: the program takes its graph from a cache, "
                            "executes through what GE does not record (aclmdlExecuteAsyncV2, "
                            "DFlow, OM2), or that CANN is older than the recording",
                            doctor_command(symptoms)));
  }
}

void add_other_mode(const Symptoms& symptoms, std::vector<Message>& hints) {
  const std::size_t others = count(symptoms.trials, "mode_mismatch");
  if (others == 0) {
    return;
  }
  if (is_offline(symptoms)) {
    hints.push_back(message("hint.mode_mismatch_offline",
                            "records of {} runs show another mode than their candidate: another "
                            "pass writes the attribute after ours ({} names it), or the OM is an "
                            "old one that the build did not write anew",
                            others, doctor_command(symptoms)));
  } else {
    hints.push_back(message("hint.mode_mismatch_online",
                            "records of {} runs show another mode than their candidate: another "
                            "pass writes the attribute after ours ({} names it), or the program "
                            "takes its graph from a cache instead of compiling it at each start",
                            others, doctor_command(symptoms)));
  }
}

void add_gates(const Symptoms& symptoms, std::vector<Message>& hints) {
  if (count(symptoms.trials, "overlapping_steps") > 0) {
    hints.push_back(message("hint.overlap",
                            "steps overlap: the program executes from several threads or streams. "
                            "Make it serial, or judge one object with --main-graph (steps.csv "
                            "lists them)"));
  }
  if (count(symptoms.trials, "too_few_steps") > 0) {
    hints.push_back(message("hint.too_few_steps",
                            "runs have too few steps after the warm-up: let the program execute "
                            "20 or more, or lower --min-steps or --drop-first"));
  }
  if (count(symptoms.trials, "timeout") > 0) {
    hints.push_back(message("hint.timeout",
                            "runs were ended at --timeout: raise it (0: none), or let the program "
                            "execute fewer steps"));
  }
  const auto failed = count(symptoms.trials, "exit_status") + count(symptoms.trials, "killed");
  if (!symptoms.trials.empty() && failed == symptoms.trials.size()) {
    hints.push_back(message("hint.all_failed",
                            "every run failed: start the command by hand in the same environment; "
                            "what it printed is in stdout.log of each trial"));
  }
}

bool is_dynamic(const Symptoms& symptoms) {
  return std::any_of(symptoms.trials.begin(), symptoms.trials.end(),
                     [](const EvaluatedTrial& trial) {
                       const auto& object = trial.evaluation.main_object;
                       return object && object->object.kind == ObjectId::Kind::model &&
                              object->object.number >= kDynamicModelIdMin;
                     });
}

void add_all_alike(const Symptoms& symptoms, std::vector<Message>& hints) {
  std::size_t compared = 0;
  for (const Summary& summary : symptoms.ranking.summaries) {
    if (summary.candidate == kDefaultCandidate || !summary.speedup) {
      continue;
    }
    if (std::abs(*summary.speedup - 1) > kAlikeShare) {
      return;
    }
    ++compared;
  }
  if (compared < 2) {
    return;
  }
  if (is_dynamic(symptoms)) {
    hints.push_back(message("hint.all_alike_dynamic",
                            "all candidates cost the same, and the model has dynamic shapes: "
                            "without ENABLE_DYNAMIC_SHAPE_MULTI_STREAM=1 where it is compiled, GE "
                            "ignores every candidate"));
  } else {
    hints.push_back(message("hint.all_alike",
                            "all candidates cost the same: the graph has no branches that can run "
                            "side by side, or one operator takes nearly all of the time. More "
                            "streams will not help this model"));
  }
}

void add_om2(const Symptoms& symptoms, std::vector<Message>& hints) {
  std::string command = symptoms.campaign.compile_command.value_or("");
  std::transform(command.begin(), command.end(), command.begin(), [](unsigned char letter) {
    return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  });
  if (command.find("om2") != std::string::npos && !symptoms.ranking.any_data()) {
    hints.push_back(message("hint.om2",
                            "the compile command seems to build an OM2: that path does not support "
                            "automatic multi-stream, so there is nothing to tune"));
  }
}

}  // namespace

std::vector<Message> hints_of(const Symptoms& symptoms) {
  std::vector<Message> hints;
  add_om2(symptoms, hints);
  add_no_record(symptoms, hints);
  add_other_mode(symptoms, hints);
  add_gates(symptoms, hints);
  add_all_alike(symptoms, hints);
  for (const std::string& output : symptoms.outputs) {
    for (Message& hint : hints_of_codes(output)) {
      const bool is_known = std::any_of(hints.begin(), hints.end(),
                                        [&](const Message& known) { return known.id == hint.id; });
      if (!is_known) {
        hints.push_back(std::move(hint));
      }
    }
  }
  return hints;
}

std::string hints_text(const std::vector<Message>& hints) {
  std::string text;
  for (const Message& hint : hints) {
    text += said(message("hint.line", "Hint: {}.", hint)) + '\n';
  }
  return text;
}

}  // namespace mstune::coordinator
