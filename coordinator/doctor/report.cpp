#include "coordinator/doctor/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/display_width.h"
#include "common/language.h"
#include "common/visible.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;

std::size_t count(const std::vector<Diagnosis>& diagnoses, Health health) {
  std::size_t number = 0;
  for (const Diagnosis& diagnosis : diagnoses) {
    for (const Finding& finding : diagnosis.findings) {
      number += finding.health == health ? 1 : 0;
    }
  }
  return number;
}

Message health_message(Health health) {
  switch (health) {
    case Health::good:
      return message("word.health_ok", "ok");
    case Health::note:
      return message("word.health_note", "note");
    case Health::warning:
      return message("word.health_warning", "warning");
    case Health::failure:
      break;
  }
  return message("word.health_failure", "failure");
}

Json json_of(const Message& message) {
  if (message.text.empty()) {
    return nullptr;
  }
  return {{"id", message.id}, {"text", message.text}, {"arguments", message.arguments}};
}

Json json_of(const Finding& finding) {
  return {{"check", finding.check},
          {"health", word(finding.health)},
          {"what", json_of(finding.what)},
          {"remedy", json_of(finding.remedy)}};
}

}  // namespace

std::string diagnosis_text(const std::vector<Diagnosis>& diagnoses) {
  constexpr std::size_t kWidth = 8;  // of the longest word
  std::string text;
  for (const Diagnosis& diagnosis : diagnoses) {
    text += fmt::format("{}:\n", visible_line(diagnosis.machine));
    for (const Finding& finding : diagnosis.findings) {
      text += fmt::format("  {} {}\n", padded_right(said(health_message(finding.health)), kWidth),
                          said(finding.what));
      if (!finding.remedy.text.empty()) {
        text += fmt::format("  {} -> {}\n", std::string(kWidth, ' '), said(finding.remedy));
      }
    }
  }
  const std::size_t failures = count(diagnoses, Health::failure);
  const std::size_t warnings = count(diagnoses, Health::warning);
  if (failures + warnings == 0) {
    return text + said(message("doctor.fit", "nothing is in the way")) + '\n';
  }
  return text +
         said(message("doctor.counts", "{} to cure before a run, {} to look at", failures,
                      warnings)) +
         '\n';
}

std::string diagnosis_json(const std::vector<Diagnosis>& diagnoses) {
  Json machines = Json::array();
  for (const Diagnosis& diagnosis : diagnoses) {
    Json findings = Json::array();
    for (const Finding& finding : diagnosis.findings) {
      findings.push_back(json_of(finding));
    }
    machines.push_back({{"machine", diagnosis.machine}, {"findings", findings}});
  }
  const Json document{{"machines", machines},
                      {"failures", count(diagnoses, Health::failure)},
                      {"warnings", count(diagnoses, Health::warning)}};
  // Paths and variables may hold any bytes.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

bool has_failure(const std::vector<Diagnosis>& diagnoses) {
  return count(diagnoses, Health::failure) > 0;
}

}  // namespace mstune::coordinator
