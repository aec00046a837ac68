#include "coordinator/commands/doctor.h"

#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/os/examine.h"
#include "common/version.h"
#include "coordinator/doctor/report.h"
#include "coordinator/local_agent.h"

namespace mstune::coordinator {
namespace {

struct DoctorOptions {
  std::string mode = "online";
  bool json = false;
};

// What trials of this machine's own agent would meet.
BoxFacts examine_here(const std::vector<std::string>& environment) {
  os::ExamineRequest request;
  request.variables = variables_of(environment);
  request.work_directory = local_work_parent(environment);
  request.plog_root = request.work_directory / "mstune-XXXXXX/trials/01234567-1000/plog";
  request.software = kVersion;
  BoxFacts facts = os::examine(request);
  facts.agent = os::find_program(agent_program(), value_of(request.variables, "PATH"));
  return facts;
}

int doctor(const DoctorOptions& options, World& world) {
  const CampaignRoles roles = roles_of(options.mode == "offline", false);
  const BoxFacts here = examine_here(world.environment);
  const std::vector<Diagnosis> diagnoses{
      {message("doctor.here", "this machine ({})", here.host).text, diagnose(here, roles.here)}};
  world.out << (options.json ? diagnosis_json(diagnoses) : diagnosis_text(diagnoses));
  return has_failure(diagnoses) ? 1 : 0;
}

}  // namespace

Subcommand doctor_command(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "Look for what would spoil a run, and say what to do about it");
  command
      ->add_option("--mode", options->mode,
                   "online: the program compiles its graph itself; offline: atc builds OMs here")
      ->capture_default_str()
      ->check(CLI::IsMember({"online", "offline"}));
  command->add_flag("--json", options->json, "Print one JSON document and nothing else");
  return {command, [options](World& world) { return doctor(*options, world); }};
}

}  // namespace mstune::coordinator
