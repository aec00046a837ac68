#include <fmt/format.h>

#include "coordinator/doctor/checks.h"

namespace mstune::coordinator {
namespace {

// Sourced by sh, set_env.sh cannot find itself and leaves "." behind, without a word.
bool is_left_by_sh(const std::string& path) {
  return path == "." || path.starts_with("./");
}

void check_environment(const BoxFacts& facts, Findings& findings) {
  const std::string home = value_of(facts.variables, "ASCEND_HOME_PATH");
  const std::string opp = value_of(facts.variables, "ASCEND_OPP_PATH");
  if (home.empty() || opp.empty()) {
    findings.add(Health::failure,
                 message("cann.environment", "CANN's environment is not loaded: {} is not set",
                         home.empty() ? "ASCEND_HOME_PATH" : "ASCEND_OPP_PATH"),
                 message("cann.environment_remedy",
                         "run this in bash: source /usr/local/Ascend/ascend-toolkit/set_env.sh (or "
                         "/usr/local/Ascend/cann/set_env.sh); for an agent's machine name it as "
                         "\"cann_env\" in the target file"));
  } else if (is_left_by_sh(home)) {
    findings.add(
        Health::failure,
        message("cann.sourced_by_sh",
                "ASCEND_HOME_PATH is \"{}\": set_env.sh was sourced by sh, where it cannot "
                "find itself",
                home),
        message("cann.sourced_by_sh_remedy",
                "source it in bash, in a fresh shell: bash -c '. <cann>/set_env.sh && "
                "exec mstune …'"));
  } else if (!facts.home_exists || !facts.opp_exists) {
    findings.add(Health::failure,
                 message("cann.not_there", "{} is set and is no directory",
                         facts.home_exists ? fmt::format("ASCEND_OPP_PATH={}", opp)
                                           : fmt::format("ASCEND_HOME_PATH={}", home)),
                 message("cann.not_there_remedy",
                         "that CANN was moved or removed: source the set_env.sh of one that is "
                         "there"));
  } else {
    findings.good(message("cann.environment", "set_env.sh of {} is loaded", home));
  }
  // GE takes it so. But each program takes it from where it stands, and trials and builds stand in
  // directories of their own.
  if (!opp.empty() && !opp.starts_with('/') && !is_left_by_sh(home)) {
    findings.add(Health::warning,
                 message("cann.relative_opp",
                         "ASCEND_OPP_PATH={} is relative: each program looks for its passes from "
                         "the directory that it is started in",
                         opp),
                 message("cann.relative_opp_remedy", "make it an absolute path"));
  }
}

// Not finding the recorder stops nothing: only a trial without any record shows that it is not
// there.
void check_recorder(const BoxFacts& facts, Findings& findings) {
  const Message version = facts.cann_version.empty()
                              ? message("cann.some_version", "this CANN")
                              : message("cann.version", "CANN {}", facts.cann_version);
  if (facts.recorder == kRecorderAbsent) {
    findings.add(
        Health::note,
        message("cann.version",
                "{} cannot record: [GE_MS_TUNE][STEP] is in none of its GE's libraries", version),
        message("cann.recorder_remedy",
                "tuning needs a CANN whose GE records steps (9.2.0 in upstream's example); "
                "with this one a trial will show no record"));
  } else if (facts.recorder.empty()) {
    findings.add(
        Health::note,
        message("cann.version", "{}: whether its GE records steps was not found out", version),
        message("cann.recorder_unknown_remedy",
                "the first trial shows it; a CANN older than 9.2.0 has no recorder"));
  } else if (!facts.cann_version.empty()) {
    findings.good(message("cann.version", "{}, whose GE records steps", version));
  }
}

}  // namespace

void check_cann(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  check_environment(facts, findings);
  if (roles.runs && facts.home_exists) {
    check_recorder(facts, findings);
  } else if (!facts.cann_version.empty()) {
    findings.good(message("cann.version", "CANN {}", facts.cann_version));
  }
  if (roles.runs && facts.driver_version.empty()) {
    findings.add(
        Health::note,
        message("cann.driver", "no driver was found: nothing can run on an NPU of this machine"),
        message("cann.driver_remedy",
                "in a container, mount /usr/local/Ascend/driver from its host"));
  } else if (roles.runs) {
    findings.good(message("cann.driver", "driver {}", facts.driver_version));
  }
  if (!roles.compiles || !roles.offline) {
    return;
  }
  if (facts.atc.empty()) {
    findings.add(Health::warning, message("cann.atc", "atc is not in PATH"),
                 message("cann.atc_remedy",
                         "source set_env.sh of a CANN toolkit (the runtime package has no atc), "
                         "unless --compile-command calls something else"));
  } else {
    findings.good(message("cann.atc", "atc is {}", facts.atc));
  }
}

}  // namespace mstune::coordinator
