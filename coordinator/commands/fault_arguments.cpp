#include "coordinator/commands/fault_arguments.h"

#include <chrono>

#include <CLI/CLI.hpp>

namespace mstune::coordinator {
namespace {

constexpr int kRetriesMax = 100;
constexpr double kGraceSecondsMax = 86400;
constexpr std::uint64_t kRecordsMax = 100'000'000;  // of 40 bytes each in memory

PlogChoice plog_choice(const std::string& word) {
  if (word == "none") {
    return PlogChoice::none;
  }
  return word == "failed" ? PlogChoice::failed : PlogChoice::all;
}

}  // namespace

FaultArguments::FaultArguments(CLI::App& command) {
  command.add_option(
      "--resume", given_.resume,
      "Go on with this run directory: the same command line, and what is missing runs");
  command
      .add_option("--retries", given_.retries,
                  "Times that a trial is run again when it failed by no fault of its program")
      ->capture_default_str()
      ->check(CLI::Range(0, kRetriesMax));
  command
      .add_option("--reconnect-grace", grace_seconds_,
                  "Seconds that a trial and its agent are waited for without a connection")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kGraceSecondsMax));
  command
      .add_option("--agent-wait", agent_wait_seconds_,
                  "Seconds that an agent is waited for that was there and has gone")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kGraceSecondsMax));
  command
      .add_option("--stall-timeout", stall_seconds_,
                  "Seconds that a trial may stand still while its agent answers; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kGraceSecondsMax));
  command.add_option("--plog", plog_, "Trials whose plog files come back to the run directory")
      ->capture_default_str()
      ->check(CLI::IsMember({"none", "failed", "all"}));
  command
      .add_option("--plog-limit", given_.plog_limit_bytes,
                  "Bytes of plog of a trial that come back, the newest first")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("64MB");
  command
      .add_option("--output-limit", given_.output_limit_bytes,
                  "Bytes of a program's output that are kept (default: the agent's own limit)")
      ->transform(CLI::AsSizeValue(false));
  command
      .add_option("--max-records", given_.records_max,
                  "STEP records of a trial; one that writes more is ended and void")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, kRecordsMax));
}

void FaultArguments::apply(TuneOptions& options) const {
  options.resume = given_.resume;
  options.retries = given_.retries;
  options.reconnect_grace =
      std::chrono::milliseconds(static_cast<std::int64_t>(grace_seconds_ * 1000));
  options.agent_wait =
      std::chrono::milliseconds(static_cast<std::int64_t>(agent_wait_seconds_ * 1000));
  options.stall_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(stall_seconds_ * 1000));
  options.plog = plog_choice(plog_);
  options.plog_limit_bytes = given_.plog_limit_bytes;
  options.output_limit_bytes = given_.output_limit_bytes;
  options.records_max = given_.records_max;
}

}  // namespace mstune::coordinator
