#include "coordinator/commands/report_command.h"

#include <ostream>

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

Subcommand report_command() {
  return {{.name = "report",
           .text = {"Write a run as one HTML file", "把一次运行写成一个 HTML 文件"},
           .options = {{.name = "run_directory",
                        .kind = cli::Kind::path,
                        .field = cli::into<&ReportOptions::run_directory>,
                        .value = "RUN_DIR",
                        .level = cli::Level::basic,
                        .required = true,
                        .text = {"Of a campaign", "任务的运行目录"}},
                       {.name = "--output",
                        .kind = cli::Kind::path,
                        .field = cli::into<&ReportOptions::output>,
                        .level = cli::Level::basic,
                        .text = {"The file (default: RUN_DIR/report.html)",
                                 "文件（默认 RUN_DIR/report.html）"}}}},
          [](const cli::Line& line, World& world) {
            return run_report(line.options<ReportOptions>(), world);
          }};
}

}  // namespace mstune::coordinator
