// The table of `mstune tune`. A row's group says what a person decides with it; help shows the
// groups in the order in which they come here.
#include "coordinator/candidate_list.h"
#include "coordinator/commands/gate_options.h"
#include "coordinator/commands/tune_arguments.h"

namespace mstune::coordinator {
namespace {

using cli::into;
using cli::Kind;
using cli::Level;
using cli::SetBy;
using Rows = std::vector<cli::Option>;

constexpr cli::Text kWhatToRun{"What to run", "运行什么"};
constexpr cli::Text kWhatToTry{"What to try", "尝试哪些候选"};
constexpr cli::Text kHowLong{"How long and how sure", "测多久、多可靠"};
constexpr cli::Text kWhatCounts{"What counts", "哪些步计入"};
constexpr cli::Text kWhere{"Where", "在哪里测量"};
constexpr cli::Text kOutput{"Output", "输出"};
constexpr cli::Text kFailures{"When something fails", "出错时"};

constexpr double kRepeatMax = 10000;
constexpr double kCompileJobsMax = 256;
constexpr double kRetriesMax = 100;
constexpr double kGraceSecondsMax = 86400;
constexpr double kRecordsMax = 100'000'000;    // of 40 bytes each in memory
constexpr double kSeedMax = 9007199254740991;  // 2^53 - 1: JSON readers keep it exactly

Rows what_to_run() {
  return {
      {.name = "--mode",
       .kind = Kind::word,
       .field = into<&TuneOptions::offline>,
       .initial = "online",
       .choices = {"online", "offline"},
       .group = kWhatToRun,
       .level = Level::basic,
       .text = {"online: the program compiles its graph; offline: one OM for each candidate",
                "online：程序自己编译图；offline：为每个候选构建一个 OM"}},
      {.name = "--run-command",
       .kind = Kind::command,
       .field = into<&TuneOptions::run_command>,
       .group = kWhatToRun,
       .level = Level::basic,
       .text = {"Program under test, as one text; or its words behind --",
                "被测程序，写成一段文本；或在 -- 之后逐词写出"},
       .details = {"split like a shell splits words and run directly; offline it holds {om}",
                   "按 shell 的规则分词并直接运行；离线时含有 {om}"}},
      {.name = "--compile-command",
       .kind = Kind::command,
       .field = into<&TuneOptions::compile_command>,
       .needs = "--mode offline",
       .group = kWhatToRun,
       .level = Level::basic,
       .text = {"Offline: builds one OM; holds {om_prefix} (for atc) or {om}",
                "离线：构建一个 OM；含有 {om_prefix}（用于 atc）或 {om}"},
       .details = {"{om_prefix} is the path without .om", "{om_prefix} 是不带 .om 的路径"}},
      {.name = "--shell",
       .field = into<&TuneOptions::shell>,
       .group = kWhatToRun,
       .text = {"--run-command is one text for /bin/bash -c, not words to be run directly",
                "--run-command 是交给 /bin/bash -c 的一段文本，而不是直接运行的词"}},
      {.name = "--om-dir",
       .kind = Kind::path,
       .field = into<&TuneOptions::om_dir>,
       .value = "DIR",
       .needs = "--mode offline",
       .group = kWhatToRun,
       .text = {"Offline: where OMs are built (default: RUN_DIR/om)",
                "离线：OM 的构建目录（默认 RUN_DIR/om）"}},
      {.name = "--compile-jobs",
       .kind = Kind::integer,
       .field = into<&TuneOptions::compile_jobs>,
       .initial = "1",
       .range = {1, kCompileJobsMax},
       .needs = "--mode offline",
       .group = kWhatToRun,
       .text = {"Offline: builds at the same time", "离线：同时进行的构建数"},
       .details = {"above 1 each has a working directory of its own",
                   "大于 1 时每个有自己的工作目录"}},
      {.name = "--pipeline",
       .field = into<&TuneOptions::pipeline>,
       .needs = "--mode offline",
       .group = kWhatToRun,
       .text = {"Offline: start each trial when its own OM is at the agent",
                "离线：每个试验在自己的 OM 到达后即开始，不等全部到齐"},
       .details = {"never while this machine builds or sends and measures",
                   "本机构建或发送文件时从不测量"}},
      {.name = "--manage-pass",
       .field = into<&TuneOptions::manage_pass>,
       .group = kWhatToRun,
       .text = {"Install the tuning pass before the run and remove it after",
                "运行前安装调优 pass，运行后移除"}},
      {.name = "--pass-library",
       .kind = Kind::path,
       .field = into<&TuneOptions::pass_library>,
       .needs = "--manage-pass",
       .group = kWhatToRun,
       .text = {"The library for --manage-pass (default: as mstune pass install finds it)",
                "--manage-pass 使用的库（默认按 mstune pass install 的方式寻找）"}},
  };
}

Rows from_a_file() {
  return {
      {.name = "--file",
       .letter = 'f',
       .kind = Kind::path,
       .group = kWhatToRun,
       .level = Level::basic,
       .set_by = SetBy::line,
       .text = {"Options by their names (mstune.toml); what is typed wins",
                "按名称给出选项的文件（mstune.toml）；命令行优先"}},
  };
}

Rows what_to_try() {
  return {
      {.name = "--strategies",
       .kind = Kind::list,
       .field = into<&TuneOptions::strategies>,
       .initial = "LoadBalance,MainStream",
       .check = check_strategies,
       .group = kWhatToTry,
       .level = Level::basic,
       .text = {"Of LoadBalance, MainStream, WeightedLoadBalance, cv",
                "从 LoadBalance、MainStream、WeightedLoadBalance、cv 中选择"}},
      {.name = "--streams",
       .kind = Kind::list,
       .field = into<&TuneOptions::streams>,
       .initial = "2,4,8",
       .check = check_streams,
       .group = kWhatToTry,
       .level = Level::basic,
       .text = {"Stream counts, 1 to 64, as in 2,4 or 2-8", "流数，1 到 64，如 2,4 或 2-8"}},
      {.name = "--configs",
       .kind = Kind::list,
       .field = into<&TuneOptions::configs>,
       .check = check_candidates,
       .group = kWhatToTry,
       .level = Level::basic,
       .text = {"Candidates by name, as in LoadBalance:4,cv; overrides the two above",
                "按名称给出候选，如 LoadBalance:4,cv；优先于上面两项"}},
      {.name = "--refine",
       .field = into<&TuneOptions::refine>,
       .group = kWhatToTry,
       .level = Level::basic,
       .text = {"Then try the neighbours of the best stream counts", "然后尝试最佳流数的相邻值"}},
      {.name = "--aa",
       .field = into<&TuneOptions::control>,
       .group = kWhatToTry,
       .text = {"Run default under a second name, too, to see what the box adds",
                "让 default 以第二个名字再运行，看机器本身带来多少差异"}},
  };
}

Rows rounds() {
  return {
      {.name = "--repeat",
       .kind = Kind::integer,
       .field = into<&TuneOptions::repeat>,
       .initial = "3",
       .range = {1, kRepeatMax},
       .group = kHowLong,
       .level = Level::basic,
       .text = {"Rounds: trials of each candidate", "轮数：每个候选的试验次数"}},
      {.name = "--until-proven",
       .field = into<&TuneOptions::until_proven>,
       .group = kHowLong,
       .level = Level::basic,
       .text = {"Go on in rounds until every candidate is settled",
                "逐轮进行，直到每个候选都有定论"}},
      {.name = "--max-repeat",
       .kind = Kind::integer,
       .field = into<&TuneOptions::max_repeat>,
       .initial = "20",
       .range = {2, kMaxRepeatMax},
       .needs = "--until-proven",
       .group = kHowLong,
       .text = {"Bound of --until-proven", "--until-proven 的轮数上限"}},
      {.name = "--confirm",
       .kind = Kind::integer,
       .field = into<&TuneOptions::confirm_rounds>,
       .range = {2, kMaxRepeatMax},
       .implied = "5",
       .group = kHowLong,
       .level = Level::basic,
       .text = {"Then measure the winner against default in fresh rounds (without N: 5)",
                "然后用新的试验轮对照 default 测量优胜者（不写 N：5 轮）"},
       .details = {"each round has four runs", "每轮四次运行"}},
  };
}

Rows order() {
  return {
      {.name = "--order",
       .kind = Kind::word,
       .field = into<&TuneOptions::order>,
       .initial = "random",
       .choices = {"random", "fixed"},
       .group = kHowLong,
       .text = {"Of the trials within a round", "轮内试验的顺序"},
       .details = {"random: no candidate owns a slot; fixed: as listed",
                   "random：没有候选独占某个位置；fixed：按列出的顺序"}},
      {.name = "--seed",
       .kind = Kind::integer,
       .field = into<&TuneOptions::seed>,
       .range = {0, kSeedMax},
       .group = kHowLong,
       .text = {"Repeat the random order of an earlier campaign", "重复先前任务的随机顺序"}},
  };
}

Rows times() {
  const cli::Range seconds{0, kSecondsMax};
  return {
      {.name = "--timeout",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::timeout>,
       .initial = "30m",
       .range = seconds,
       .group = kHowLong,
       .level = Level::basic,
       .text = {"For a run, as in 90s, 30m, 2h; 0: none",
                "一次运行的时限，如 90s、30m、2h；0：不限"}},
      {.name = "--build-timeout",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::build_timeout>,
       .range = seconds,
       .needs = "--mode offline",
       .group = kHowLong,
       .text = {"Offline: for a build (default: --timeout)",
                "离线：一次构建的时限（默认同 --timeout）"}},
      {.name = "--upload-timeout",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::upload_timeout>,
       .range = seconds,
       .group = kHowLong,
       .text = {"For one file on its way to the agent (default: --timeout)",
                "一个文件送达代理的时限（默认同 --timeout）"}},
      {.name = "--wait-timeout",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::wait_timeout>,
       .range = seconds,
       .group = kHowLong,
       .text = {"For a trial that waits for a free device (default: --timeout)",
                "试验等待空闲设备的时限（默认同 --timeout）"}},
  };
}

Rows where() {
  return {
      {.name = "--target",
       .kind = Kind::path,
       .field = into<&TuneOptions::target_files>,
       .group = kWhere,
       .level = Level::basic,
       .repeatable = true,
       .text = {"JSON file that says where an agent is (default: this machine)",
                "说明代理所在位置的 JSON 文件（默认测量本机）"},
       .details = {"may be given several times", "可多次给出"}},
      {.name = "--inventory",
       .kind = Kind::path,
       .field = into<&TuneOptions::inventory>,
       .group = kWhere,
       .text = {"JSON file with a list of targets and what they have in common",
                "列出各目标及其共同设置的 JSON 文件"}},
      {.name = "--spread",
       .kind = Kind::word,
       .field = into<&TuneOptions::spread>,
       .initial = "share",
       .choices = {"share", "replicate"},
       .group = kWhere,
       .text = {"With more than one device", "多个设备时如何分配"},
       .details = {"share: the rounds are divided among them; replicate: each runs all rounds",
                   "share：各设备分担试验轮；replicate：每个设备运行全部试验轮"}},
      {.name = "--ignore-busy",
       .field = into<&TuneOptions::ignore_busy>,
       .group = kWhere,
       .text = {"Measure though somebody else uses the device", "即使他人正在使用设备也进行测量"}},
      {.name = "--allow-mismatch",
       .field = into<&TuneOptions::allow_mismatch>,
       .group = kWhere,
       .text = {"Go on with agents whose CANN, chips or machines do not match",
                "代理的 CANN、芯片或机器不一致，或与 --resume 的运行开始时不同时，仍继续"}},
  };
}

Rows output() {
  return {
      {.name = "--output-dir",
       .kind = Kind::path,
       .field = into<&TuneOptions::output_dir>,
       .value = "DIR",
       .initial = "./ge_ms_autotune_output",
       .group = kOutput,
       .level = Level::basic,
       .text = {"A run directory is made below it", "运行目录建在其下"}},
      {.name = "--dry-run",
       .field = into<&TuneOptions::dry_run>,
       .group = kOutput,
       .level = Level::basic,
       .set_by = SetBy::line,
       .text = {"Print candidates, trials and commands only", "只打印候选、试验和命令"}},
      {.name = "--quiet",
       .field = into<&TuneOptions::quiet>,
       .group = kOutput,
       .level = Level::basic,
       .text = {"Print the result and nothing before it", "只打印结果，之前什么都不打印"}},
      {.name = "--json-lines",
       .field = into<&TuneOptions::json_lines>,
       .excludes = "--quiet",
       .group = kOutput,
       .text = {"Print events for other programs, one JSON document a line, and nothing else",
                "为其他程序打印事件，每行一个 JSON 文档，不打印其他内容"}},
      {.name = "--plog",
       .kind = Kind::word,
       .field = into<&TuneOptions::plog>,
       .initial = "all",
       .choices = {"none", "failed", "all"},
       .group = kOutput,
       .text = {"Trials whose plog files come back to the run directory",
                "哪些试验的 plog 文件取回运行目录"}},
      {.name = "--plog-limit",
       .kind = Kind::size,
       .field = into<&TuneOptions::plog_limit_bytes>,
       .initial = "64MB",
       .group = kOutput,
       .text = {"Plog of a trial that comes back, the newest first",
                "每个试验取回的 plog 大小，从最新的开始"}},
      {.name = "--output-limit",
       .kind = Kind::size,
       .field = into<&TuneOptions::output_limit_bytes>,
       .group = kOutput,
       .text = {"Output of a program that is kept (default: the agent's own limit)",
                "程序输出保留的大小（默认：代理自己的上限）"}},
      {.name = "--max-records",
       .kind = Kind::integer,
       .field = into<&TuneOptions::records_max>,
       .initial = "10000000",
       .range = {1, kRecordsMax},
       .group = kOutput,
       .text = {"STEP records of a trial; one that writes more is ended and void",
                "每个试验的 STEP 记录数上限；写出更多的试验会被结束并作废"}},
  };
}

Rows failures() {
  return {
      {.name = "--resume",
       .kind = Kind::path,
       .field = into<&TuneOptions::resume>,
       .value = "RUN_DIR",
       .group = kFailures,
       .set_by = SetBy::line,
       .text = {"Go on with this run directory: the same command line, and what is missing runs",
                "继续此运行目录：用相同的命令行，补做缺少的部分"}},
      {.name = "--keep-going",
       .field = into<&TuneOptions::keep_going>,
       .needs = "--mode offline",
       .group = kFailures,
       .text = {"Offline: a failing build voids its candidate, the others go on",
                "离线：构建失败只作废其候选，其余继续"}},
      {.name = "--retries",
       .kind = Kind::integer,
       .field = into<&TuneOptions::retries>,
       .initial = "2",
       .range = {0, kRetriesMax},
       .group = kFailures,
       .text = {"Times that a trial is run again when it failed by no fault of its program",
                "试验并非因程序自身而失败时，重新运行的次数"}},
      {.name = "--reconnect-grace",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::reconnect_grace>,
       .initial = "60s",
       .range = {0, kGraceSecondsMax},
       .group = kFailures,
       .text = {"How long a trial and its agent are waited for without a connection",
                "失去连接时等待试验及其代理的时间"}},
      {.name = "--connect-timeout",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::connect_timeout>,
       .initial = "15s",
       .range = {1, kGraceSecondsMax},
       .group = kFailures,
       .text = {"How long an agent may take to answer for the first time",
                "等待代理首次应答的时间"}},
      {.name = "--agent-wait",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::agent_wait>,
       .initial = "30m",
       .range = {0, kGraceSecondsMax},
       .group = kFailures,
       .text = {"How long an agent is waited for that was there and has gone",
                "等待曾经在线而已离开的代理的时间"}},
      {.name = "--stall-timeout",
       .kind = Kind::seconds,
       .field = into<&TuneOptions::stall_timeout>,
       .initial = "30m",
       .range = {0, kGraceSecondsMax},
       .group = kFailures,
       .text = {"How long a trial may stand still while its agent answers; 0: for ever",
                "代理有应答时，试验停滞不前的最长时间；0：不限"}},
  };
}

}  // namespace

cli::Command tune_table() {
  cli::Command table{
      .name = "tune",
      .text = {"Measure the candidates, rank them, recommend one", "测量候选，排名，并推荐一个"},
      .examples = {"mstune tune -- python3 infer.py --steps 30",
                   "mstune tune --until-proven --confirm -- python3 infer.py",
                   "mstune tune --mode offline --compile-command 'atc --model=m.onnx "
                   "--framework=5 --output={om_prefix}' -- ./infer --om {om}"},
      .program = into<&TuneOptions::run_command>,
      .settings_from = "--file",
  };
  const Rows gates =
      gate_options<&TuneOptions::given_gates, &TuneOptions::digest_pattern>(kWhatCounts);
  for (const Rows& rows : {what_to_run(), from_a_file(), what_to_try(), rounds(), times(), order(),
                           gates, where(), output(), failures()}) {
    table.options.insert(table.options.end(), rows.begin(), rows.end());
  }
  return table;
}

}  // namespace mstune::coordinator
