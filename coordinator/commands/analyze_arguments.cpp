#include "coordinator/commands/analyze_arguments.h"

#include "coordinator/commands/gate_options.h"
#include "coordinator/digest_pattern.h"

namespace mstune::coordinator {

cli::Command analyze_table() {
  constexpr cli::Text kWhatCounts{"What counts", "哪些步计入"};
  cli::Command table{
      .name = "analyze",
      .text = {"Evaluate a run directory or plain logs again, without running",
               "重新评估运行目录或单独的日志，不运行任何程序"},
      .options = {{.name = "inputs",
                   .kind = cli::Kind::path,
                   .field = cli::into<&AnalyzeOptions::inputs>,
                   .value = "RUN_DIR|NAME=PATH",
                   .level = cli::Level::basic,
                   .required = true,
                   .repeatable = true,
                   .text = {"A run, or logs by candidate: default=DIR LoadBalance:4=FILE",
                            "运行目录，或按候选给出日志：default=DIR LoadBalance:4=FILE"}},
                  {.name = "--json",
                   .field = cli::into<&AnalyzeOptions::json>,
                   .level = cli::Level::basic,
                   .text = {"Print the summary document and nothing else", "只打印汇总文档"}},
                  {.name = "--write",
                   .field = cli::into<&AnalyzeOptions::write>,
                   .level = cli::Level::basic,
                   .text = {"Write summary.json, summary.csv and steps.csv anew",
                            "重新写 summary.json、summary.csv 和 steps.csv"}}}};
  for (cli::Option& option :
       gate_options<&AnalyzeOptions::gates, &AnalyzeOptions::digest_pattern>(kWhatCounts)) {
    option.level = cli::Level::basic;
    table.options.push_back(std::move(option));
  }
  return table;
}

AnalyzeOptions analyze_options(const cli::Line& line) {
  auto options = line.options<AnalyzeOptions>();
  check_digest_pattern(options.digest_pattern, "--digest-pattern");
  return options;
}

}  // namespace mstune::coordinator
