// What the doctor found, for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/doctor/diagnosis.h"

namespace mstune::coordinator {

// The findings about one machine, or about both together.
struct Diagnosis {
  std::string machine;  // "this machine", "the agent at npu-box", "both"
  std::vector<Finding> findings;
};

// One paragraph for each machine and a line that counts; remedies stand below what they cure.
std::string diagnosis_text(const std::vector<Diagnosis>& diagnoses);

// {"machines": [{"machine", "findings": [{"check", "health", "what", "remedy"}]}], "failures",
// "warnings"}: what and remedy are messages (id, text, arguments) or null.
std::string diagnosis_json(const std::vector<Diagnosis>& diagnoses);

bool has_failure(const std::vector<Diagnosis>& diagnoses);

}  // namespace mstune::coordinator
