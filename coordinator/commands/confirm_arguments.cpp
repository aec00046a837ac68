#include "coordinator/commands/confirm_arguments.h"

#include "coordinator/confirm_run.h"

namespace mstune::coordinator {

cli::Command confirm_table() {
  return {.name = "confirm",
          .text = {"Measure the winner of a run against default again, in fresh rounds",
                   "用新的试验轮再次对照 default 测量一次运行的优胜者"},
          .options = {
              {.name = "run_directory",
               .kind = cli::Kind::path,
               .field = cli::into<&ConfirmOptions::run_directory>,
               .value = "RUN_DIR",
               .level = cli::Level::basic,
               .required = true,
               .text = {"Of mstune tune", "mstune tune 的运行目录"}},
              {.name = "--rounds",
               .kind = cli::Kind::integer,
               .field = cli::into<&ConfirmOptions::rounds>,
               .initial = "5",
               .range = {2, kMaxRepeatMax},
               .level = cli::Level::basic,
               .text = {"Fresh rounds of four runs, A B B A", "新的轮数，每轮四次运行：A B B A"}},
              {.name = "--target",
               .kind = cli::Kind::path,
               .field = cli::into<&ConfirmOptions::target_files>,
               .level = cli::Level::basic,
               .repeatable = true,
               .text = {"Where the agents are, if not where the run's own files say: a "
                        "target file or an inventory; may be given several times",
                        "代理的位置，如果与该运行的文件不同：目标文件或清单；可多次"
                        "给出"}},
              {.name = "--allow-mismatch",
               .field = cli::into<&ConfirmOptions::allow_mismatch>,
               .level = cli::Level::basic,
               .text = {"Go on with agents whose CANN, chips or machines do not match, or "
                        "are not those of the run",
                        "代理的 CANN、芯片或机器不一致，或与该运行时不同时，仍继续"}},
              {.name = "--timeout",
               .kind = cli::Kind::seconds,
               .field = cli::into<&ConfirmOptions::timeout>,
               .range = {0, kSecondsMax},
               .level = cli::Level::basic,
               .text = {"For a build, an upload or a run; 0: none (default: the run's)",
                        "一次构建、上传或运行的时限；0：不限（默认同该运行）"}}}};
}

}  // namespace mstune::coordinator
