#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "coordinator/doctor/checks.h"
#include "coordinator/doctor/pass_order.h"

namespace mstune::coordinator {
namespace {

using Library = std::vector<PassLibrary>::const_iterator;

// "mstune pass …", for the machine that is looked at.
std::string pass_command(const Roles& roles, const std::string& words) {
  return "mstune pass " + words + (roles.is_target ? " --target FILE" : "");
}

Message build_remedy(const Roles& roles) {
  return message("pass.install_remedy",
                 "build it with this machine's CANN loaded (cmake -S pass -B build-pass && cmake "
                 "--build build-pass; it needs CMake 3.13 or newer, a C++17 compiler and a CANN "
                 "whose GE records steps, 9.2.0 or newer) and run: {}",
                 pass_command(roles, "install"));
}

// ".../vendors/<vendor>/custom_fusion_passes/<file>", which GE would load but for a link.
bool is_in_linked_folder(const std::string& stray) {
  std::string_view path = stray;
  const auto cut = [&path] {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    return name;
  };
  cut();
  if (cut() != "custom_fusion_passes") {
    return false;
  }
  cut();
  return cut() == "vendors";
}

void check_stray(const std::string& stray, const Roles& roles, Findings& findings) {
  if (is_in_linked_folder(stray)) {
    findings.add(Health::failure,
                 message("pass.linked",
                         "{} is in a custom_fusion_passes that is a symbolic link, and GE passes "
                         "over such a link",
                         stray),
                 message("pass.linked_remedy",
                         "remove the link, and run: {} (a link in the place of the vendor's "
                         "directory, one level up, is followed)",
                         pass_command(roles, "install")));
    return;
  }
  findings.add(Health::failure,
               message("pass.place",
                       "{} is where GE does not look: it loads only "
                       "$ASCEND_OPP_PATH/vendors/*/custom_fusion_passes/*.so",
                       stray),
               roles.is_target
                   ? build_remedy(roles)
                   : message("pass.place_remedy", "run: mstune pass install --library {}", stray));
}

void check_missing(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  if (!facts.strays.empty()) {
    check_stray(facts.strays.front(), roles, findings);
    return;
  }
  const Message remedy = facts.built_pass.empty()
                             ? build_remedy(roles)
                             : message("pass.built_remedy", "run: mstune pass install");
  const bool has_samples = std::any_of(facts.passes.begin(), facts.passes.end(),
                                       [](const PassLibrary& pass) { return pass.is_samples; });
  if (has_samples) {
    findings.add(Health::note,
                 message("pass.samples_alone",
                         "our pass is not installed; the sample's is, and does the same work"),
                 remedy);
    return;
  }
  findings.add(
      Health::failure,
      facts.built_pass.empty()
          ? message("pass.missing",
                    "the tuning pass is not installed, so GE will write no STEP record at all")
          : message("pass.missing",
                    "the tuning pass is built at {} and not installed, so GE will write no STEP "
                    "record at all",
                    facts.built_pass),
      remedy);
}

// A library that the loader refuses ends every compilation (E13029), whosever it is.
void check_loadable(const PassLibrary& pass, const BoxFacts& facts, const Roles& roles,
                    Findings& findings) {
  const Message remedy =
      pass.is_ours ? build_remedy(roles)
                   : message("pass.unloadable_remedy",
                             "move it away: one library that cannot be loaded fails every build "
                             "and every online run (E13029)");
  if (!pass.readable) {
    findings.add(Health::failure,
                 message("pass.unreadable", "{} cannot be read by this user", pass.path),
                 message("pass.unreadable_remedy", "run: chmod a+rx {}", pass.path));
  } else if (pass.architecture.empty()) {
    findings.add(
        Health::failure,
        message("pass.not_a_library",
                "{} is no shared library: another file, a damaged one, a directory, or a link to "
                "nothing",
                pass.path),
        remedy);
  } else if (pass.architecture != facts.architecture) {
    findings.add(Health::failure,
                 message("pass.architecture", "{} is for {}, this machine is {}", pass.path,
                         pass.architecture, facts.architecture),
                 remedy);
  } else if (!pass.string_abi.empty() && !facts.toolkit_abi.empty() &&
             pass.string_abi != facts.toolkit_abi) {
    findings.add(Health::failure,
                 message("pass.abi",
                         "{} passes the {} std::string and this CANN takes the {} one: it cannot "
                         "be loaded",
                         pass.path, pass.string_abi, facts.toolkit_abi),
                 remedy);
  } else if (!pass.missing.empty()) {
    findings.add(
        Health::warning,
        message("pass.missing_libraries", "{} needs {}, which LD_LIBRARY_PATH does not lead to",
                pass.path, fmt::format("{}", fmt::join(pass.missing, ", "))),
        message("pass.missing_libraries_remedy",
                "source set_env.sh of the CANN that it was built with, or build it anew"));
  }
}

// Before ours in byte order, and behind it where the program that loads GE has set a locale.
void add_doubtful_order(const PassLibrary& other, const Message& remedy, Findings& findings) {
  findings.add(
      Health::warning,
      message("pass.locale_order",
              "{} writes the same attributes; GE loads it before our pass, and after it in "
              "a program that has set a locale (GE sorts by strcoll): the last writer wins",
              other.path),
      remedy);
}

void add_other_writer(const PassLibrary& other, bool is_after, const Roles& roles,
                      Findings& findings) {
  const Message remedy =
      other.is_samples ? message("pass.samples_remedy", "remove it with: {}",
                                 pass_command(roles, "remove --sample"))
                       : message("pass.other_remedy", "move {} away while you tune", other.path);
  if (is_after) {
    findings.add(Health::failure,
                 message("pass.order",
                         "{} writes the same attributes after our pass, and the last writer wins: "
                         "records will show another mode",
                         other.path),
                 remedy);
  } else if (locale_may_reorder(other.vendor, kPassVendor)) {
    add_doubtful_order(other, remedy, findings);
  } else if (other.is_samples) {
    findings.add(Health::warning,
                 message("pass.sample_left",
                         "the sample's pass was left behind at {}: it records in production, too",
                         other.path),
                 remedy);
  } else {
    findings.add(Health::warning,
                 message("pass.other_writer",
                         "{} writes the same attributes; ours runs later and wins", other.path),
                 remedy);
  }
}

void check_writers(const BoxFacts& facts, Library ours, const Roles& roles, Findings& findings) {
  bool is_last = true;
  for (auto other = facts.passes.begin(); other != facts.passes.end(); ++other) {
    if (other == ours || !other->writes_mode) {
      continue;
    }
    const bool is_after = other > ours;
    is_last = is_last && !is_after && !locale_may_reorder(other->vendor, kPassVendor);
    if (other->is_ours) {
      findings.add(
          Health::warning,
          message("pass.twice", "our pass is installed twice: {} and {}", ours->path, other->path),
          message("pass.twice_remedy", "remove {}", other->path));
    } else {
      add_other_writer(*other, is_after, roles, findings);
    }
  }
  if (is_last) {
    findings.good(
        message("pass.order", "the pass is at {} and no other writes after it", ours->path));
  }
}

void check_leases(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  for (const PassLease& lease : facts.leases) {
    if (lease.alive) {
      findings.add(Health::note, message("pass.managed",
                                         "{} keeps the pass installed while it "
                                         "tunes",
                                         lease.owner));
    } else {
      findings.add(Health::warning,
                   message("pass.left_behind",
                           "{} installed the pass for the time of its run (--manage-pass) and was "
                           "ended before it could remove it",
                           lease.owner),
                   message("pass.left_behind_remedy", "run: {}", pass_command(roles, "remove")));
    }
  }
}

}  // namespace

void check_passes(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  if (!facts.opp_exists) {
    return;
  }
  check_leases(facts, roles, findings);
  for (const PassLibrary& pass : facts.passes) {
    check_loadable(pass, facts, roles, findings);
  }
  const auto ours = std::find_if(facts.passes.begin(), facts.passes.end(),
                                 [](const PassLibrary& pass) { return pass.is_ours; });
  if (!roles.compiles) {
    if (ours != facts.passes.end()) {
      findings.add(Health::note,
                   message("pass.not_needed",
                           "the pass is installed here, where nothing is compiled for this mode"),
                   message("pass.not_needed_remedy", "remove it when no online run needs it: {}",
                           pass_command(roles, "remove")));
    }
    return;
  }
  if (ours == facts.passes.end()) {
    check_missing(facts, roles, findings);
  } else {
    check_writers(facts, ours, roles, findings);
  }
  if (const std::string path = value_of(facts.variables, "ASCEND_GE_PY_PASS_PATH"); !path.empty()) {
    findings.add(Health::note,
                 message("pass.python",
                         "ASCEND_GE_PY_PASS_PATH={}: passes in Python are loaded from there and "
                         "are not looked at here",
                         path),
                 message("pass.python_remedy", "see that none of them writes {}", kModeAttribute));
  }
}

}  // namespace mstune::coordinator
