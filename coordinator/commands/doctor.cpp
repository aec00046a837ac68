#include "coordinator/commands/doctor.h"

#include <optional>
#include <ostream>

#include "common/error.h"
#include "common/language.h"
#include "common/os/examine.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/recorder.h"
#include "common/version.h"
#include "coordinator/doctor/report.h"
#include "coordinator/inquiry.h"
#include "coordinator/pass_place.h"
#include "coordinator/tune_options.h"

namespace mstune::coordinator {
namespace {

constexpr Duration kConnectMax = std::chrono::seconds(10);

struct DoctorOptions {
  bool offline = false;
  std::string target_file;
  bool json = false;
};

// What builds on this machine meet. Runs and OMs are written here also where a target runs them.
BoxFacts examine_here(const std::vector<std::string>& environment) {
  os::ExamineRequest request;
  request.variables = variables_of(environment);
  request.work_directory = local_work_parent(environment);
  request.plog_root = request.work_directory / "mstune-XXXXXX/trials/01234567-1000/plog";
  request.output_directory = os::absolute_path(TuneOptions().output_dir);
  request.software = kVersion;
  BoxFacts facts = os::examine(request);
  facts.recorder = os::recorder_of(request.variables);
  facts.agent = os::find_program(agent_program(), value_of(request.variables, "PATH"));
  return facts;
}

// What trials on this machine meet: its own agent is asked, as the one of a target would be.
BoxFacts examine_as_trials(const std::vector<std::string>& environment, std::ostream& err) {
  try {
    const LocalAgent agent(environment, std::chrono::seconds(60), os::random_hex_id());
    return Inquiry(agent, kConnectMax).examine({}).facts;
  } catch (const Error& error) {
    err << "mstune: " << error.what() << '\n';
    return examine_here(environment);
  }
}

// The facts about the target's machine, or nothing and a finding that says why.
std::optional<BoxFacts> examine_there(const Target& target,
                                      const std::vector<std::string>& environment,
                                      Diagnosis& diagnosis) {
  try {
    BoxFacts facts = Inquiry(target, environment, kConnectMax).examine(target.cann_env).facts;
    for (const auto& [name, value] : target.env) {
      if (is_telling_variable(name)) {  // programs there get it over what they inherit
        facts.variables[name] = value;
      }
    }
    return facts;
  } catch (const Error& error) {
    diagnosis.findings.push_back(
        {"target.reachable", Health::failure, error.message(),
         message("target.reachable_remedy",
                 "start an agent there (scripts/install-agent.sh does), see that its port is open, "
                 "and look at the target file")});
    return std::nullopt;
  }
}

std::vector<Diagnosis> diagnose_all(const DoctorOptions& options, World& world) {
  std::optional<Target> target;
  if (!options.target_file.empty()) {
    target = parse_target(os::read_file(options.target_file), options.target_file);
  }
  const CampaignRoles roles = roles_of(options.offline, target.has_value());
  BoxFacts here = roles.here.runs ? examine_as_trials(world.environment, world.err)
                                  : examine_here(world.environment);
  here.built_pass = built_pass().value_or("");
  std::vector<Diagnosis> diagnoses{
      {said(message("doctor.here", "this machine ({})", here.host)), diagnose(here, roles.here)}};
  if (target) {
    Diagnosis diagnosis{said(message("doctor.there", "the agent at {}", endpoint(*target))), {}};
    auto there = examine_there(*target, world.environment, diagnosis);
    if (there) {
      diagnosis.findings = diagnose(*there, roles.target);
    }
    diagnoses.push_back(std::move(diagnosis));
    if (there) {
      diagnoses.push_back(
          {said(message("doctor.both", "both together")), compare_boxes(here, *there)});
    }
  }
  return diagnoses;
}

int doctor(const DoctorOptions& options, World& world) {
  const std::vector<Diagnosis> diagnoses = diagnose_all(options, world);
  world.out << (options.json ? diagnosis_json(diagnoses) : diagnosis_text(diagnoses));
  return has_failure(diagnoses) ? 1 : 0;
}

}  // namespace

Subcommand doctor_command() {
  return {
      {.name = "doctor",
       .text = {"Look for what would spoil a run, and say what to do about it",
                "检查会妨碍运行的问题，并说明怎么办"},
       .options = {{.name = "--mode",
                    .kind = cli::Kind::word,
                    .field = cli::into<&DoctorOptions::offline>,
                    .initial = "online",
                    .choices = {"online", "offline"},
                    .level = cli::Level::basic,
                    .text = {"online: the program compiles its graph itself; offline: atc "
                             "builds OMs here",
                             "online：程序自己编译图；offline：由 atc 在此构建 OM"}},
                   {.name = "--target",
                    .kind = cli::Kind::path,
                    .field = cli::into<&DoctorOptions::target_file>,
                    .level = cli::Level::basic,
                    .text = {"Look at the agent's machine, too: the target file that names it",
                             "同时检查代理所在机器：指明它的目标文件"}},
                   {.name = "--json",
                    .field = cli::into<&DoctorOptions::json>,
                    .level = cli::Level::basic,
                    .text = {"Print one JSON document and nothing else", "只打印一个 JSON 文档"}}}},
      [](const cli::Line& line, World& world) {
        return doctor(line.options<DoctorOptions>(), world);
      }};
}

}  // namespace mstune::coordinator
