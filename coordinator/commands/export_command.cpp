#include "coordinator/commands/export_command.h"

#include <algorithm>
#include <ostream>

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

Subcommand export_command() {
  return {{.name = "export",
           .text = {"Print what to set in production", "打印生产环境中要设置的内容"},
           .options = {{.name = "run_directory",
                        .kind = cli::Kind::path,
                        .field = cli::into<&ExportOptions::run_directory>,
                        .value = "RUN_DIR",
                        .level = cli::Level::basic,
                        .required = true,
                        .text = {"Of a campaign", "任务的运行目录"}},
                       {.name = "--config",
                        .kind = cli::Kind::list,
                        .field = cli::into<&ExportOptions::candidate>,
                        .value = "CANDIDATE",
                        .level = cli::Level::basic,
                        .text = {"This candidate instead of the recommended one, as in "
                                 "LoadBalance:4",
                                 "导出此候选而不是推荐的那个，如 LoadBalance:4"}},
                       {.name = "--json",
                        .field = cli::into<&ExportOptions::json>,
                        .level = cli::Level::basic,
                        .text = {"Print a document for scripts and nothing else",
                                 "只打印供脚本使用的文档"}}}},
          [](const cli::Line& line, World& world) {
            return run_export(line.options<ExportOptions>(), world);
          }};
}

}  // namespace mstune::coordinator
