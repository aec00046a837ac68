#include "coordinator/commands/pass.h"

#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/error.h"
#include "common/os/examine.h"
#include "common/version.h"
#include "coordinator/doctor/checks.h"
#include "coordinator/doctor/report.h"
#include "coordinator/pass_place.h"

namespace mstune::coordinator {
namespace {

struct PassOptions {
  std::string library;
  bool sample = false;
  bool json = false;
};

// What the doctor says of passes alone.
Diagnosis diagnose_passes(const Variables& variables) {
  os::ExamineRequest request;
  request.variables = variables;
  request.work_directory = "/";
  request.software = kVersion;
  const BoxFacts facts = os::examine(request);
  Findings findings;
  check_passes(facts, {.compiles = true}, findings);
  return {
      message("pass.title", "custom passes below {}", value_of(variables, "ASCEND_OPP_PATH")).text,
      std::move(findings).take()};
}

int install(const PassOptions& options, World& world) {
  const Variables variables = variables_of(world.environment);
  const os::PassFolder folder = pass_folder(variables);
  folder.install(read_pass_library(options.library));
  world.out << message("pass.installed",
                       "installed {}: from now on every step of every program of this CANN that "
                       "is started with GE_AUTO_MULTISTREAM_PARALLEL_MODE is recorded; remove it "
                       "when you have tuned",
                       folder.library().string())
                   .text
            << '\n';
  const Diagnosis diagnosis = diagnose_passes(variables);
  world.out << diagnosis_text({diagnosis});
  return has_failure({diagnosis}) ? 1 : 0;
}

int remove(const PassOptions& options, World& world) {
  const os::PassFolder folder = pass_folder(variables_of(world.environment));
  if (options.sample) {
    for (const std::string& path : folder.remove_samples()) {
      world.out << message("pass.sample_removed", "removed {}", path).text << '\n';
    }
    return 0;
  }
  const std::string path = folder.library().string();
  world.out << (folder.remove() ? message("pass.removed", "removed {}", path)
                                : message("pass.not_there", "{} is not there", path))
                   .text
            << '\n';
  return 0;
}

int status(const PassOptions& options, World& world) {
  const Variables variables = variables_of(world.environment);
  static_cast<void>(pass_folder(variables));
  const Diagnosis diagnosis = diagnose_passes(variables);
  world.out << (options.json ? diagnosis_json({diagnosis}) : diagnosis_text({diagnosis}));
  return has_failure({diagnosis}) ? 1 : 0;
}

}  // namespace

Subcommand pass_command(CLI::App& app) {
  const auto options = std::make_shared<PassOptions>();
  CLI::App* command =
      app.add_subcommand("pass", "Install, remove or look at the tuning pass where GE loads it");
  command->require_subcommand(1);
  CLI::App* install_app = command->add_subcommand("install", "Put the pass in place");
  install_app->add_option("--library", options->library,
                          "The library that cmake built from pass/ (default: looked for)");
  CLI::App* remove_app = command->add_subcommand("remove", "Take the pass away");
  remove_app->add_flag("--sample", options->sample,
                       "Take away that of CANN's sample multi_stream_autotune instead");
  CLI::App* status_app = command->add_subcommand("status", "Look at all passes");
  status_app->add_flag("--json", options->json, "Print one JSON document and nothing else");
  return {command, [=](World& world) {
            if (install_app->parsed()) {
              return install(*options, world);
            }
            return remove_app->parsed() ? remove(*options, world) : status(*options, world);
          }};
}

}  // namespace mstune::coordinator
