#include "coordinator/commands/report_command.h"

#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/language.h"
#include "common/os/file.h"
#include "coordinator/evaluated_run.h"
#include "coordinator/report_page.h"

namespace mstune::coordinator {
namespace {

struct ReportOptions {
  std::string run_directory;
  std::string output;  // empty: report.html in the run directory
};

int run_report(const ReportOptions& options, World& world) {
  const EvaluatedRun run = read_evaluated_run(options.run_directory);
  for (const Message& note : run.notes) {
    world.err << said(message("progress.note", "note: {}", note)) << '\n';
  }
  const std::filesystem::path path =
      options.output.empty() ? run.directory / "report.html" : os::absolute_path(options.output);
  const std::string title = os::absolute_path(run.directory).filename().string();
  os::write_file_atomically(path,
                            report_page({run.campaign, run.ranking, run.trials, title}, spoken()));
  world.out << said(message("report.written", "report: {}", path.string())) << '\n';
  return run.ranking.any_data() ? 0 : 1;
}

}  // namespace

Subcommand add_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write a run as one HTML file");
  command->add_option("run_directory", options->run_directory, "RUN_DIR of a campaign")->required();
  command->add_option("--output", options->output, "The file (default: RUN_DIR/report.html)");
  return {command, [options](World& world) { return run_report(*options, world); }};
}

}  // namespace mstune::coordinator
