#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "coordinator/doctor/diagnosis.h"
#include "coordinator/doctor/pass_order.h"
#include "coordinator/doctor/report.h"

namespace mstune::coordinator {
namespace {

constexpr Roles kOnline{.compiles = true, .runs = true, .offline = false};
constexpr Roles kBuilds{.compiles = true, .runs = false, .offline = true};
constexpr Roles kRuns{.compiles = false, .runs = true, .offline = true};

PassLibrary pass_in(const std::string& vendor, const std::string& file) {
  PassLibrary pass;
  pass.path = "/cann/opp/vendors/" + vendor + "/custom_fusion_passes/" + file;
  pass.vendor = vendor;
  pass.architecture = "x86_64";
  pass.string_abi = "old";
  return pass;
}

PassLibrary our_pass() {
  PassLibrary pass = pass_in("zz_mstune", "libmstune_pass.so");
  pass.is_ours = true;
  pass.writes_mode = true;
  return pass;
}

PassLibrary samples_pass(const std::string& vendor) {
  PassLibrary pass = pass_in(vendor, "libge_ms_autotune_pass.so");
  pass.is_samples = true;
  pass.writes_mode = true;
  return pass;
}

// A machine on which nothing is wrong.
BoxFacts healthy() {
  BoxFacts facts;
  facts.host = "box";
  facts.software = "0.1.0";
  facts.architecture = "x86_64";
  facts.variables = {{"ASCEND_HOME_PATH", "/cann"},
                     {"ASCEND_OPP_PATH", "/cann/opp"},
                     {"ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", "1"}};
  facts.home_exists = true;
  facts.opp_exists = true;
  facts.atc = "/cann/bin/atc";
  facts.agent = "/usr/bin/mstune-agent";
  facts.cann_version = "9.2.0";
  facts.driver_version = "24.1";
  facts.recorder = kRecorderPresent;
  facts.toolkit_abi = "old";
  facts.passes = {our_pass()};
  facts.work = {"/tmp", true, 100ULL << 30U};
  facts.plog_root = "/tmp/mstune-XXXXXX/trials/01234567-1000/plog";
  facts.has_npu_smi = true;
  facts.devices = {{0, "910B2", "OK", "96.4", "37", {}}};
  return facts;
}

// Health of the finding of a check; good where there is none.
Health health_of(const BoxFacts& facts, const Roles& roles, std::string_view check) {
  Health worst = Health::good;
  for (const Finding& finding : diagnose(facts, roles)) {
    if (finding.check == check) {
      worst = std::max(worst, finding.health);
    }
  }
  return worst;
}

Health worst_of(const std::vector<Finding>& findings) {
  Health worst = Health::good;
  for (const Finding& finding : findings) {
    worst = std::max(worst, finding.health);
  }
  return worst;
}

TEST_CASE("doctor: a healthy machine is good in every role") {
  for (const Roles& roles : {kOnline, kBuilds, kRuns}) {
    BoxFacts facts = healthy();
    if (!roles.compiles) {
      facts.passes.clear();
    }
    for (const Finding& finding : diagnose(facts, roles)) {
      CHECK_MESSAGE(finding.health == Health::good, finding.what.text);
      CHECK(finding.remedy.text.empty());
    }
  }
}

TEST_CASE("doctor: whatever is wrong comes with something to do") {
  BoxFacts facts;
  for (const Roles& roles : {kOnline, kBuilds, kRuns}) {
    for (const Finding& finding : diagnose(facts, roles)) {
      if (finding.health >= Health::warning) {
        CHECK_MESSAGE(!finding.remedy.text.empty(), finding.what.text);
      }
    }
  }
}

TEST_CASE("doctor: roles follow from the mode and from whether there is a target") {
  const auto online = roles_of(false, true);
  CHECK_FALSE(online.here.compiles);
  CHECK(online.target.compiles);
  CHECK(online.target.runs);
  const auto offline = roles_of(true, true);
  CHECK(offline.here.compiles);
  CHECK_FALSE(offline.here.runs);
  CHECK_FALSE(offline.target.compiles);
  CHECK(roles_of(false, false).here.compiles);
  CHECK(roles_of(false, false).here.runs);
}

TEST_CASE("doctor: set_env.sh that was not sourced, or by sh, is a failure") {
  BoxFacts facts = healthy();
  facts.variables.erase("ASCEND_OPP_PATH");
  CHECK(health_of(facts, kOnline, "cann.environment") == Health::failure);
  facts.variables["ASCEND_OPP_PATH"] = "./opp";
  facts.variables["ASCEND_HOME_PATH"] = ".";
  CHECK(health_of(facts, kOnline, "cann.sourced_by_sh") == Health::failure);
  facts = healthy();
  facts.opp_exists = false;
  CHECK(health_of(facts, kOnline, "cann.not_there") == Health::failure);
}

TEST_CASE("doctor: whether GE can record is said where programs run, and stops nothing") {
  BoxFacts facts = healthy();
  CHECK(health_of(facts, kRuns, "cann.version") == Health::good);
  facts.recorder = kRecorderAbsent;
  facts.cann_version = "8.1.RC1";
  CHECK(health_of(facts, kRuns, "cann.version") == Health::note);
  CHECK(health_of(facts, kBuilds, "cann.version") == Health::good);  // not asked there
  const auto said_of = [&] {
    std::string text;
    for (const Finding& finding : diagnose(facts, kOnline)) {
      text += finding.what.text + '\n';
    }
    return text;
  };
  CHECK(said_of().find("CANN 8.1.RC1 cannot record") != std::string::npos);
  facts.recorder.clear();
  CHECK(health_of(facts, kRuns, "cann.version") == Health::note);
  CHECK(said_of().find("CANN 8.1.RC1: whether its GE records steps was not found out") !=
        std::string::npos);
}

TEST_CASE("doctor: a relative ASCEND_OPP_PATH is taken as it is, with a warning") {
  BoxFacts facts = healthy();
  facts.variables["ASCEND_OPP_PATH"] = "opp";
  CHECK(health_of(facts, kOnline, "cann.environment") == Health::good);
  CHECK(health_of(facts, kOnline, "cann.relative_opp") == Health::warning);
}

TEST_CASE("doctor: atc is wanted only where it builds") {
  BoxFacts facts = healthy();
  facts.atc.clear();
  CHECK(health_of(facts, kBuilds, "cann.atc") == Health::warning);
  CHECK(health_of(facts, kOnline, "cann.atc") == Health::good);
}

TEST_CASE("doctor: a missing pass is a failure where graphs are compiled, and only there") {
  BoxFacts facts = healthy();
  facts.passes.clear();
  CHECK(health_of(facts, kOnline, "pass.missing") == Health::failure);
  CHECK(health_of(facts, kRuns, "pass.missing") == Health::good);
  facts.strays = {"/cann/opp/vendors/zz_mstune/libmstune_pass.so"};
  CHECK(health_of(facts, kOnline, "pass.place") == Health::failure);
  facts.strays = {"/cann/opp/vendors/zz_mstune/custom_fusion_passes/libmstune_pass.so"};
  CHECK(health_of(facts, kOnline, "pass.linked") == Health::failure);
  CHECK(health_of(facts, kOnline, "pass.place") == Health::good);
  facts.strays = {"/cann/opp/vendors/zz_mstune/old/custom_fusion_passes/libmstune_pass.so"};
  CHECK(health_of(facts, kOnline, "pass.place") == Health::failure);
  facts.strays.clear();
  facts.passes = {samples_pass("ge_ms_autotune")};
  CHECK(health_of(facts, kOnline, "pass.samples_alone") == Health::note);
}

TEST_CASE("doctor: a pass where nothing is compiled is told, so that it does not stay") {
  CHECK(health_of(healthy(), kRuns, "pass.not_needed") == Health::note);
}

TEST_CASE("doctor: a writer after ours wins and is a failure, one before is a warning") {
  BoxFacts facts = healthy();
  PassLibrary other = pass_in("zzz_other", "libother.so");
  other.writes_mode = true;
  facts.passes.push_back(other);
  CHECK(health_of(facts, kOnline, "pass.order") == Health::failure);
  std::swap(facts.passes.front(), facts.passes.back());
  CHECK(health_of(facts, kOnline, "pass.order") == Health::good);
  CHECK(health_of(facts, kOnline, "pass.other_writer") == Health::warning);
  facts.passes.front() = pass_in("aaa_other", "libother.so");
  CHECK(health_of(facts, kOnline, "pass.other_writer") == Health::good);
}

TEST_CASE("doctor: a writer that a locale may sort behind ours is a warning of its own") {
  for (const std::string vendor : {"ZZZ", "zz-next", "Zz_n"}) {
    CAPTURE(vendor);
    BoxFacts facts = healthy();
    PassLibrary other = pass_in(vendor, "libother.so");
    other.writes_mode = true;
    facts.passes.insert(facts.passes.begin(), other);
    CHECK(health_of(facts, kOnline, "pass.locale_order") == Health::warning);
    CHECK(health_of(facts, kOnline, "pass.other_writer") == Health::good);
  }
  CHECK_FALSE(locale_may_reorder("customize", "zz_mstune"));
  CHECK_FALSE(locale_may_reorder("ZZ_a", "zz_mstune"));
  CHECK_FALSE(locale_may_reorder("zz_mstune", "zz_mstune"));
  CHECK(locale_may_reorder("B", "a"));
}

TEST_CASE("doctor: the sample's library left behind is named and its removal offered") {
  BoxFacts facts = healthy();
  facts.passes.insert(facts.passes.begin(), samples_pass("ge_ms_autotune"));
  const auto findings = diagnose(facts, kOnline);
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.check == "pass.sample_left";
  });
  REQUIRE(found != findings.end());
  CHECK(found->what.text.find("libge_ms_autotune_pass.so") != std::string::npos);
  CHECK(found->remedy.text.find("mstune pass remove --sample") != std::string::npos);
}

TEST_CASE("doctor: a library that cannot be loaded is a failure, whosever it is") {
  BoxFacts facts = healthy();
  facts.passes.insert(facts.passes.begin(), pass_in("aaa", "libaaa.so"));
  PassLibrary& other = facts.passes.front();
  other.architecture.clear();
  CHECK(health_of(facts, kBuilds, "pass.not_a_library") == Health::failure);
  other.architecture = "aarch64";
  CHECK(health_of(facts, kBuilds, "pass.architecture") == Health::failure);
  CHECK(health_of(facts, kRuns, "pass.architecture") == Health::failure);
  other = pass_in("aaa", "libaaa.so");
  other.string_abi = "new";
  CHECK(health_of(facts, kBuilds, "pass.abi") == Health::failure);
  facts.toolkit_abi = "";
  CHECK(health_of(facts, kBuilds, "pass.abi") == Health::good);
  other.readable = false;
  CHECK(health_of(facts, kBuilds, "pass.unreadable") == Health::failure);
  other = pass_in("aaa", "libaaa.so");
  other.missing = {"libgone.so"};
  CHECK(health_of(facts, kBuilds, "pass.missing_libraries") == Health::warning);
}

TEST_CASE("doctor: what a crashed run left behind is offered for removal") {
  BoxFacts facts = healthy();
  facts.leases = {{"process 7", true}};
  CHECK(health_of(facts, kOnline, "pass.managed") == Health::note);
  facts.leases = {{"process 7", false}};
  CHECK(health_of(facts, kOnline, "pass.left_behind") == Health::warning);
}

TEST_CASE("doctor: variables that spoil a run are found where they matter") {
  struct Case {
    const char* variable;
    const char* value;
    const char* check;
    Health online;
    Health runs;
  };
  const std::vector<Case> cases{
      {"MINIDAG_PROFILING_PATH", "/x", "variables.minidag", Health::warning, Health::good},
      {"ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", "0", "variables.dynamic_shapes", Health::note,
       Health::good},
      {"GE_OPTIONS", "ge.enableSingleStream=true", "variables.single_stream", Health::failure,
       Health::good},
      {"GE_OPTIONS", "ge.enableSingleStream=false", "variables.single_stream", Health::good,
       Health::good},
      {"PROFILING_MODE", "true", "variables.profiling", Health::warning, Health::warning},
      {"PROFILING_MODE", "false", "variables.profiling", Health::good, Health::good},
      {"ASCEND_LOG_PRINT_TO_STDOUT", "1", "variables.printing", Health::note, Health::note},
      {"ASCEND_SLOG_PRINT_TO_STDOUT", "1", "variables.printing", Health::note, Health::note},
      {"ASCEND_SLOG_PRINT_TO_STDOUT", "0", "variables.printing", Health::good, Health::good},
      {"ASCEND_GLOBAL_LOG_LEVEL", "1", "variables.log_level", Health::warning, Health::warning},
      {"ASCEND_GLOBAL_LOG_LEVEL", "2", "variables.log_level", Health::good, Health::good},
      {"ASCEND_GLOBAL_EVENT_ENABLE", "0", "variables.events", Health::note, Health::note},
  };
  for (const Case& one : cases) {
    INFO(one.variable << "=" << one.value);
    BoxFacts facts = healthy();
    facts.variables[one.variable] = one.value;
    CHECK(health_of(facts, kOnline, one.check) == one.online);
    CHECK(health_of(facts, kRuns, one.check) == one.runs);
  }
}

TEST_CASE("doctor: how to take a variable away depends on who sets it") {
  BoxFacts facts = healthy();
  facts.variables["PROFILING_MODE"] = "true";
  const auto remedy = [&](const Roles& roles) {
    const auto findings = diagnose(facts, roles);
    const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.check == "variables.profiling";
    });
    return found == findings.end() ? std::string() : found->remedy.text;
  };
  CHECK(remedy(kRuns) == "run: unset PROFILING_MODE");
  Roles there = kRuns;
  there.is_target = true;
  CHECK(remedy(there).starts_with("take PROFILING_MODE out of \"env\" in the target file"));
}

TEST_CASE("doctor: disk space has two limits") {
  BoxFacts facts = healthy();
  facts.work.free_bytes = 10ULL << 30U;
  CHECK(health_of(facts, kRuns, "disk.work") == Health::good);
  facts.work.free_bytes -= 1;
  CHECK(health_of(facts, kRuns, "disk.work") == Health::warning);
  facts.work.free_bytes = 1ULL << 30U;
  CHECK(health_of(facts, kRuns, "disk.work") == Health::warning);
  facts.work.free_bytes -= 1;
  CHECK(health_of(facts, kRuns, "disk.work") == Health::failure);
  facts = healthy();
  facts.work.writable = false;
  CHECK(health_of(facts, kRuns, "disk.work") == Health::failure);
  CHECK(health_of(facts, kBuilds, "disk.work") == Health::good);
}

TEST_CASE("doctor: a log path is usable up to 246 bytes") {
  BoxFacts facts = healthy();
  facts.plog_root = "/" + std::string(kLogRootBytesMax - 1, 'a');
  CHECK(health_of(facts, kRuns, "log.path") == Health::good);
  facts.plog_root += 'a';
  CHECK(health_of(facts, kRuns, "log.path") == Health::failure);
  facts.build_log = {"/var/empty", false, 0};
  CHECK(health_of(facts, kBuilds, "log.build_path") == Health::warning);
}

TEST_CASE("doctor: a pass that is built needs only to be installed, and that is said") {
  BoxFacts facts = healthy();
  facts.passes.clear();
  facts.built_pass = "/src/build-pass/libmstune_pass.so";
  CHECK(health_of(facts, kBuilds, "pass.missing") == Health::failure);
  const std::string text = diagnosis_text({{"this machine", diagnose(facts, kBuilds)}});
  INFO(text);
  CHECK(text.find("is built at /src/build-pass/libmstune_pass.so and not installed") !=
        std::string::npos);
  CHECK(text.find("-> run: mstune pass install\n") != std::string::npos);
}

TEST_CASE("doctor: what cures an agent's machine names the target") {
  BoxFacts facts = healthy();
  facts.passes = {our_pass(), samples_pass("zzz")};
  facts.leases = {{"process 7", false}};
  const Roles there = roles_of(false, true).target;
  const std::string text = diagnosis_text({{"the agent", diagnose(facts, there)}});
  INFO(text);
  CHECK(text.find("mstune pass remove --sample --target FILE\n") != std::string::npos);
  CHECK(text.find("run: mstune pass remove --target FILE\n") != std::string::npos);
  facts.passes.clear();
  CHECK(diagnosis_text({{"the agent", diagnose(facts, there)}})
            .find("mstune pass install --target FILE\n") != std::string::npos);
}

TEST_CASE("doctor: the disk for OMs and run directories matters where nothing runs, too") {
  BoxFacts facts = healthy();
  CHECK(health_of(facts, kBuilds, "disk.output") == Health::good);
  facts.output = {"/runs", true, 100ULL << 30U};
  CHECK(health_of(facts, kBuilds, "disk.output") == Health::good);
  facts.output.free_bytes = 5ULL << 30U;
  CHECK(health_of(facts, kBuilds, "disk.output") == Health::warning);
  facts.output.free_bytes = 5;
  CHECK(health_of(facts, kBuilds, "disk.output") == Health::failure);
  facts.output = {"/runs", false, 100ULL << 30U};
  CHECK(health_of(facts, kBuilds, "disk.output") == Health::failure);
}

TEST_CASE("doctor: a device must be healthy and free; a mere context does not hold it") {
  BoxFacts facts = healthy();
  facts.devices[0].holders = {{7, "python", 0}};
  CHECK(health_of(facts, kRuns, "device.busy") == Health::good);
  facts.devices[0].holders = {{7, "python", 1}};
  CHECK(health_of(facts, kRuns, "device.busy") == Health::warning);
  facts.devices[0].health = "Alarm";
  CHECK(health_of(facts, kRuns, "device.health") == Health::failure);
  facts.devices.clear();
  CHECK(health_of(facts, kRuns, "device.none") == Health::failure);
  facts.has_npu_smi = false;
  CHECK(health_of(facts, kRuns, "device.none") == Health::good);
  CHECK(health_of(facts, kRuns, "device.no_npu_smi") == Health::note);
}

TEST_CASE("doctor: versions must be alike on both machines, if they are known") {
  const BoxFacts here = healthy();
  BoxFacts target = healthy();
  CHECK(worst_of(compare_boxes(here, target)) == Health::good);
  target.software = "0.2.0";
  CHECK(worst_of(compare_boxes(here, target)) == Health::warning);
  target.cann_version = "8.5.0";
  CHECK(worst_of(compare_boxes(here, target)) == Health::failure);
  target = healthy();
  target.cann_version.clear();
  CHECK(worst_of(compare_boxes(here, target)) == Health::note);
}

TEST_CASE("doctor: the text counts, and every remedy stands below what it cures") {
  BoxFacts facts = healthy();
  CHECK(diagnosis_text({{"this machine", diagnose(facts, kBuilds)}})
            .ends_with("nothing is in the way\n"));
  facts.atc.clear();
  facts.passes.clear();
  const std::string text = diagnosis_text({{"this machine", diagnose(facts, kBuilds)}});
  CHECK(text.find("  failure  the tuning pass is not installed") != std::string::npos);
  CHECK(text.find("\n           -> build it with") != std::string::npos);
  CHECK(text.ends_with("1 to cure before a run, 1 to look at\n"));
}

TEST_CASE("doctor: the JSON document holds every finding, whatever bytes a path has") {
  BoxFacts facts = healthy();
  facts.variables["ASCEND_HOME_PATH"] = "/cann\xff";
  facts.atc.clear();
  const auto document =
      nlohmann::json::parse(diagnosis_json({{"this machine", diagnose(facts, kBuilds)}}));
  CHECK(document.at("failures") == 0);
  CHECK(document.at("warnings") == 1);
  const auto& findings = document.at("machines").at(0).at("findings");
  const auto atc = std::find_if(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.at("check") == "cann.atc";
  });
  REQUIRE(atc != findings.end());
  CHECK(atc->at("health") == "warning");
  CHECK(atc->at("remedy").at("id") == "cann.atc_remedy");
  CHECK(findings.at(0).at("remedy").is_null());
}

}  // namespace
}  // namespace mstune::coordinator
