#include "coordinator/commands/gate_arguments.h"

#include <charconv>
#include <cstdint>

#include <CLI/CLI.hpp>

#include "common/error.h"
#include "common/object_id.h"
#include "coordinator/digest_pattern.h"

namespace mstune::coordinator {
namespace {

constexpr std::uint64_t kStepsMax = 10'000'000;

}  // namespace

GateArguments::GateArguments(CLI::App& command) {
  command.add_option(
      "--drop-first", drop_first_,
      "Leave out this many first steps (warm-up), or auto: those before the cost of a "
      "run has settled (default: 1, or the campaign's)");
  command
      .add_option("--min-steps", min_steps_,
                  "Steps that a trial needs after the warm-up to count (default: 5, or the "
                  "campaign's)")
      ->check(CLI::Range(std::uint64_t{1}, kStepsMax));
  command.add_option("--main-graph", main_graph_,
                     "Judge this object: session_id:graph_id or model:model_id (default: the one "
                     "with most records)");
  command.add_option("--digest-pattern", digest_pattern_,
                     "The line that tells what a run computed: a regular expression with one "
                     "group, as in \"digest (\\w+)\"");
}

GivenGates GateArguments::gates() const {
  GivenGates gates;
  gates.min_steps = min_steps_;
  if (!main_graph_.empty()) {
    gates.main_object = parse_object_id(main_graph_);
  }
  gates.drop_auto = drop_first_ == "auto";
  if (drop_first_.empty() || gates.drop_auto) {
    return gates;
  }
  std::uint64_t& drop_first = gates.drop_first.emplace();
  const char* text_end = drop_first_.data() + drop_first_.size();
  const auto [end, failure] = std::from_chars(drop_first_.data(), text_end, drop_first);
  if (failure != std::errc{} || end != text_end) {
    throw usage_error("options.bad_drop_first",
                      "--drop-first {}: a whole number from 0, or auto, belongs there",
                      drop_first_);
  }
  return gates;
}

std::string GateArguments::digest_pattern() const {
  check_digest_pattern(digest_pattern_, "--digest-pattern");
  return digest_pattern_;
}

}  // namespace mstune::coordinator
