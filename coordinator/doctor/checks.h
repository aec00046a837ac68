// The single checks that diagnosis.h puts together, by what they look at. Pure.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/doctor/diagnosis.h"

namespace mstune::coordinator {

// Collects findings; the id of a finding is the id of its sentence.
class Findings {
 public:
  void add(Health health, Message what, Message remedy = {}) {
    std::string check = what.id;
    list_.push_back({std::move(check), health, std::move(what), std::move(remedy)});
  }
  void good(Message what) { add(Health::good, std::move(what)); }

  [[nodiscard]] std::vector<Finding> take() && { return std::move(list_); }

 private:
  std::vector<Finding> list_;
};

// set_env.sh, atc, versions.
void check_cann(const BoxFacts& facts, const Roles& roles, Findings& findings);
// The pass: there, in its place, for this machine, last, alone.
void check_passes(const BoxFacts& facts, const Roles& roles, Findings& findings);
// Variables that spoil a run.
void check_variables(const BoxFacts& facts, const Roles& roles, Findings& findings);
// Log paths, disks, devices, who runs it.
void check_box(const BoxFacts& facts, const Roles& roles, Findings& findings);

}  // namespace mstune::coordinator
