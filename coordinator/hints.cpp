#include "coordinator/hints.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/language.h"
#include "coordinator/error_codes.h"

namespace mstune::coordinator {
namespace {

// Speedups closer to 1 than this are alike, whatever the noise.
constexpr double kAlikeShare = 0.01;
// From here on model ids are those of the executor for dynamic shapes.
constexpr Integer kDynamicModelIdMin = 0x7F000000;

// A cause of all that do not count is the run's; of others it is said how many they are.
void add_causes(const Symptoms& symptoms, std::vector<Message>& hints) {
  struct Group {
    const Reason* cause;
    std::size_t trials = 0;
    std::size_t invalid = 0;
  };
  std::vector<Group> groups;
  std::size_t invalid = 0;
  for (const EvaluatedTrial& trial : symptoms.trials) {
    invalid += trial.evaluation.valid ? 0U : 1U;
    const auto& cause = trial.evaluation.cause;
    if (!cause) {
      continue;
    }
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.cause->code == cause->code && known.cause->sentence.id == cause->sentence.id;
    });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group{&*cause});
    }
    ++group->trials;
    group->invalid += trial.evaluation.valid ? 0U : 1U;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& left, const Group& right) {
    return left.trials > right.trials;
  });
  for (const Group& group : groups) {
    const bool is_of_all = group.invalid == invalid && group.trials == invalid;
    hints.push_back(is_of_all ? group.cause->sentence
                              : message("hint.of_trials", "{} of {} trials: {}", group.trials,
                                        symptoms.trials.size(), group.cause->sentence));
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
  add_causes(symptoms, hints);
  add_all_alike(symptoms, hints);
  for (const std::string& output : symptoms.build_outputs) {
    for (Reason& cause : causes_in(output)) {
      const bool is_known = std::any_of(hints.begin(), hints.end(), [&](const Message& known) {
        return known.id == cause.sentence.id;
      });
      if (!is_known) {
        hints.push_back(std::move(cause.sentence));
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
