#include "coordinator/commands/export_command.h"

#include <algorithm>
#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/error.h"
#include "common/language.h"
#include "coordinator/evaluated_run.h"
#include "coordinator/production.h"

namespace mstune::coordinator {
namespace {

struct ExportOptions {
  std::string run_directory;
  std::string candidate;  // empty: what the run recommends
  bool json = false;
};

Candidate exported(const ExportOptions& options, const EvaluatedRun& run) {
  if (options.candidate.empty()) {
    return run.ranking.recommended;
  }
  const Candidate candidate = parse_candidate(options.candidate);
  const auto& summaries = run.ranking.summaries;
  const bool known = std::any_of(summaries.begin(), summaries.end(), [&](const Summary& summary) {
    return summary.candidate == candidate;
  });
  if (!known) {
    throw usage_error("export.not_in_run", "{} is no candidate of {}", options.candidate,
                      run.directory.string());
  }
  return candidate;
}

int run_export(const ExportOptions& options, World& world) {
  const EvaluatedRun run = read_evaluated_run(options.run_directory);
  for (const Message& note : run.notes) {
    world.err << said(message("progress.note", "note: {}", note)) << '\n';
  }
  const Candidate candidate = exported(options, run);
  world.out << (options.json ? production_json(candidate, run.ranking)
                             : production_text(candidate, run.ranking));
  return run.ranking.any_data() ? 0 : 1;
}

}  // namespace

Subcommand add_export(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Print what to set in production");
  command->add_option("run_directory", options->run_directory, "RUN_DIR of a campaign")->required();
  command->add_option("--config", options->candidate,
                      "This candidate instead of the recommended one, as in LoadBalance:4");
  command->add_flag("--json", options->json, "Print a document for scripts and nothing else");
  return {command, [options](World& world) { return run_export(*options, world); }};
}

}  // namespace mstune::coordinator
