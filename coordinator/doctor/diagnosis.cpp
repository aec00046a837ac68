#include "coordinator/doctor/diagnosis.h"

#include "coordinator/doctor/checks.h"

namespace mstune::coordinator {

std::string_view word(Health health) {
  switch (health) {
    case Health::good:
      return "ok";
    case Health::note:
      return "note";
    case Health::warning:
      return "warning";
    case Health::failure:
      break;
  }
  return "failure";
}

// Online the program compiles its graph itself, wherever it runs; offline this machine builds OMs.
CampaignRoles roles_of(bool offline, bool has_target) {
  CampaignRoles roles;
  roles.here = {offline || !has_target, !has_target, offline};
  if (has_target) {
    roles.target = {!offline, true, offline, true};
  }
  return roles;
}

std::vector<Finding> diagnose(const BoxFacts& facts, const Roles& roles) {
  Findings findings;
  check_cann(facts, roles, findings);
  check_passes(facts, roles, findings);
  check_variables(facts, roles, findings);
  check_box(facts, roles, findings);
  return std::move(findings).take();
}

std::vector<Finding> compare_boxes(const BoxFacts& here, const BoxFacts& target) {
  Findings findings;
  if (here.software == target.software) {
    findings.good(message("versions.mstune", "mstune {} on both machines", here.software));
  } else {
    findings.add(
        Health::warning,
        message("versions.mstune", "mstune is {} here and {} on {}", here.software, target.software,
                target.host),
        message("versions.mstune_remedy",
                "install the same release on both (scripts/install-agent.sh {})", target.host));
  }
  if (here.cann_version.empty() || target.cann_version.empty()) {
    findings.add(Health::note,
                 message("versions.cann_unknown",
                         "the version of CANN is not known on both machines, so it is not "
                         "compared"));
  } else if (here.cann_version == target.cann_version) {
    findings.good(message("versions.cann", "CANN {} on both machines", here.cann_version));
  } else {
    findings.add(Health::failure,
                 message("versions.cann", "CANN is {} here and {} on {}", here.cann_version,
                         target.cann_version, target.host),
                 message("versions.cann_remedy",
                         "build with the version that runs the OMs: source its set_env.sh here, or "
                         "name another one in the target's \"cann_env\""));
  }
  return std::move(findings).take();
}

}  // namespace mstune::coordinator
