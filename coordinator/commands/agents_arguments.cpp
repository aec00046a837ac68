#include "coordinator/commands/agents_arguments.h"

#include "common/error.h"

namespace mstune::coordinator {

cli::Command agents_table() {
  constexpr double kIntervalMin = 0.1;
  constexpr double kIntervalMax = 86400;
  return {
      .name = "agents",
      .text = {"Ask agents how they are: version, round trip, store, devices",
               "询问各代理的状况：版本、往返、存储、设备"},
      .options = {
          {.name = "--target",
           .kind = cli::Kind::path,
           .field = cli::into<&AgentsOptions::target_files>,
           .level = cli::Level::basic,
           .repeatable = true,
           .text = {"JSON file that says where an agent is; several may be named",
                    "说明代理所在位置的 JSON 文件；可给出多个"}},
          {.name = "--inventory",
           .kind = cli::Kind::path,
           .field = cli::into<&AgentsOptions::inventory>,
           .level = cli::Level::basic,
           .text = {"JSON file with a list of targets", "含有目标列表的 JSON 文件"}},
          {.name = "--json",
           .field = cli::into<&AgentsOptions::json>,
           .level = cli::Level::basic,
           .text = {"Print a document instead of the table", "打印文档而不是表格"}},
          {.name = "--purge",
           .field = cli::into<&AgentsOptions::purge>,
           .excludes = "--watch",
           .level = cli::Level::basic,
           .text = {"Drop stored files that no campaign needs", "丢弃没有任务需要的已存文件"}},
          {.name = "--watch",
           .field = cli::into<&AgentsOptions::watch>,
           .level = cli::Level::basic,
           .text = {"Ask again and again, until Ctrl-C", "反复询问并显示，直到 Ctrl-C"}},
          {.name = "--interval",
           .kind = cli::Kind::seconds,
           .field = cli::into<&AgentsOptions::interval>,
           .initial = "2s",
           .range = {kIntervalMin, kIntervalMax},
           .needs = "--watch",
           .level = cli::Level::basic,
           .text = {"With --watch: between two looks", "与 --watch 一起：两次询问之间的时间"}}}};
}

AgentsOptions agents_options(const cli::Line& line) {
  auto options = line.options<AgentsOptions>();
  if (options.target_files.empty() && options.inventory.empty()) {
    throw usage_error("options.no_agents", "name the agents with --target or --inventory");
  }
  return options;
}

}  // namespace mstune::coordinator
