// Options that `tune` and `analyze` share: which steps and trials count, and what a run computed.
#pragma once

#include <vector>

#include "common/cli/option.h"
#include "coordinator/evaluation.h"

namespace mstune::coordinator {

void take_drop_first(GivenGates& gates, const cli::Value& value);
// Throws a usage error for what is no object.
void take_main_graph(GivenGates& gates, const cli::Value& value);

// The fields are those of the command's struct: its GivenGates, and the text of the pattern.
template <auto Gates, auto DigestPattern>
std::vector<cli::Option> gate_options(cli::Text group) {
  constexpr double kStepsMax = 10'000'000;
  return {
      {.name = "--drop-first",
       .kind = cli::Kind::integer,
       .field = cli::taken_by<take_drop_first, Gates>,
       .choices = {"auto"},
       .group = group,
       .text = {"First steps to leave out, the warm-up (default: 1, or the campaign's)",
                "略去最前面的步数（预热）（默认 1，或任务原来的值）"},
       .details = {"auto: those before the cost of a run has settled",
                   "auto：略去耗时稳定之前的步"}},
      {.name = "--min-steps",
       .kind = cli::Kind::integer,
       .field = cli::into<Gates, &GivenGates::min_steps>,
       .range = {1, kStepsMax},
       .group = group,
       .text = {"Steps that a trial needs after the warm-up (default: 5, or the campaign's)",
                "预热之后一次试验要计入所需的步数（默认 5，或任务原来的值）"}},
      {.name = "--main-graph",
       .kind = cli::Kind::text,
       .field = cli::taken_by<take_main_graph, Gates>,
       .value = "OBJECT",
       .group = group,
       .text = {"Judge this object: session_id:graph_id or model:model_id (default: the one with "
                "most records)",
                "评判此对象：session_id:graph_id 或 model:model_id（默认：记录最多的）"}},
      {.name = "--digest-pattern",
       .kind = cli::Kind::text,
       .field = cli::into<DigestPattern>,
       .value = "REGEX",
       .group = group,
       .text = {"The line that tells what a run computed: a regular expression with one group, as "
                "in \"digest (\\w+)\"",
                "说明计算结果的那一行：带一个分组的正则表达式，如 \"digest (\\w+)\""}},
  };
}

}  // namespace mstune::coordinator
