// The causes that lie in a trial's log: where it went, what it lacks.
#include <array>
#include <sstream>

#include "coordinator/trial_case.h"

namespace mstune::coordinator {
namespace {

constexpr std::int64_t kNoRoomBytes = std::int64_t{1} << 20U;
constexpr const char* kLogPath = "ASCEND_PROCESS_LOG_PATH";

bool holds_name(std::string_view names, std::string_view name) {
  return (" " + std::string(names) + " ").find(" " + std::string(name) + " ") != std::string::npos;
}

Cause other_user(const Case& trial) {
  const auto uid = trial.number("program_uid");
  if (!uid || uid == trial.number("agent_uid")) {
    return std::nullopt;
  }
  return Reason{"log_elsewhere",
                message("cause.log_of_other_user",
                        "the program ran as user {}, who may not write into the agent's log "
                        "directory, so its log went to that user's home: run it as the agent's "
                        "user (without sudo, su or setpriv), or start an agent as user {}",
                        *uid, *uid)};
}

}  // namespace

bool is_missing(const Case& trial, std::string_view variable) {
  return holds_name(trial.text("variables_lost"), variable) ||
         trial.text("variables_changed").find(std::string(variable) + "=") != std::string::npos;
}

Cause full_disk(const Case& trial) {
  const std::string warning = trial.log_warning();
  const bool refused = warning.find("can not write log") != std::string::npos;
  const auto free_bytes = trial.number("log_free_bytes_after");
  const bool no_room = free_bytes && *free_bytes < kNoRoomBytes && !trial.text("plog_cut").empty();
  if (!refused && !no_room) {
    return std::nullopt;
  }
  const std::string free_text =
      free_bytes ? size_text(static_cast<unsigned long long>(*free_bytes)) : "?";
  return Reason{"disk_full",
                message("cause.log_disk_full",
                        "the log library could not write all of its log, so records are lost: its "
                        "disk is full ({} free when the trial had ended), or a quota or limit on "
                        "the size of files is reached. Free some space below the agent's "
                        "--work-dir, or give it another one (\"Invalid argument\" in the "
                        "library's warning is not the reason)",
                        free_text)};
}

Cause unreadable_log(const Case& trial) {
  if (!trial.is_positive("plog_unreadable") || !trial.has("no_record")) {
    return std::nullopt;
  }
  return Reason{
      "log_unreadable",
      message("cause.log_unreadable",
              "its log belongs to user {} and the agent (user {}) may not read it: run "
              "the program as the agent's user, without sudo or setpriv",
              trial.number("plog_uid").value_or(-1), trial.number("agent_uid").value_or(-1))};
}

std::string launcher_in(const std::string& command) {
  constexpr std::array<std::string_view, 9> kLaunchers{
      "docker", "podman", "nerdctl", "ssh", "mpirun", "mpiexec", "srun", "kubectl", "torchrun"};
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    const std::string_view program = std::string_view(word).substr(word.rfind('/') + 1);
    if (std::find(kLaunchers.begin(), kLaunchers.end(), program) != kLaunchers.end()) {
      return std::string(program);
    }
  }
  return {};
}

std::string missing_variables(const Case& trial) {
  std::string names = trial.text("variables_lost");
  const std::string changed = trial.text("variables_changed");
  return names + (names.empty() || changed.empty() ? "" : ", ") + changed;
}

Cause log_elsewhere(const Case& trial) {
  if (!trial.has("no_record") || !trial.has_no_log()) {
    return std::nullopt;
  }
  if (is_missing(trial, kLogPath)) {
    return Reason{"log_elsewhere",
                  message("cause.log_elsewhere",
                          "its log went elsewhere: on the way to the program a variable was lost "
                          "or changed ({}). Let the wrapper pass on what the agent sets: no env "
                          "-i, no env -u, no value of its own",
                          missing_variables(trial))};
  }
  if (auto cause = other_user(trial)) {
    return cause;
  }
  const std::string warning = trial.log_warning();
  if (warning.find("can not create directory") != std::string::npos) {
    return Reason{"log_elsewhere",
                  message("cause.log_refused",
                          "the log library could not make the directory of its log and wrote "
                          "elsewhere or nowhere: {}. Something removed it while the program ran, "
                          "or it ran as another user",
                          warning)};
  }
  if (const std::string launcher = launcher_in(trial.context().command); !launcher.empty()) {
    return Reason{"not_passed_on",
                  message("cause.not_passed_on",
                          "not one line of CANN's log came: {} does not pass the agent's variables "
                          "on, or not its directory. docs/program.md says what to write for it "
                          "(-e, -x, --export)",
                          launcher)};
  }
  return std::nullopt;
}

Cause silent_log(const Case& trial) {
  if (!trial.has("no_record") || !trial.has_no_log()) {
    return std::nullopt;
  }
  return Reason{"no_log",
                message("cause.no_log",
                        "no process of it wrote any log of CANN into ASCEND_PROCESS_LOG_PATH: the "
                        "program did not come to CANN at all, or sets that variable itself before "
                        "it does. Look at its stdout.log")};
}

Cause not_ge(const Case& trial) {
  if (!trial.has("no_record") || trial.number("ge_lines") != 0) {
    return std::nullopt;
  }
  return Reason{"no_ge",
                message("cause.no_ge",
                        "CANN wrote a log, and no line of it is GE's: the program executes "
                        "single operators or an aclGraph (reduce-overhead, npugraph_ex), "
                        "which have no streams to tune")};
}

Cause without_pass(const Case& trial) {
  if (!trial.has("no_record")) {
    return std::nullopt;
  }
  if (trial.context().offline) {
    return Reason{
        "no_pass",
        message("hint.no_record_offline",
                "no STEP record. Was the pass in place here when the OMs were built? Run: {}. If "
                "it was: the program executes through what GE does not record "
                "(aclmdlExecuteAsyncV2, DFlow), the model is an OM2 (it cannot be tuned), the "
                "target's \"cann_env\" is not set, or that CANN is older than the recording",
                trial.context().doctor)};
  }
  return Reason{
      "no_pass",
      message("hint.no_record_online",
              "no STEP record. Is the pass in place where the program runs? Run: {}. If it is: the "
              "program takes its graph from a cache, executes through what GE does not record "
              "(aclmdlExecuteAsyncV2, DFlow, OM2), or that CANN is older than the recording",
              trial.context().doctor)};
}

Cause lost_lines(const Case& trial) {
  if (trial.evaluation().signs.lost_steps == 0) {
    return std::nullopt;
  }
  return Reason{"log_overflow",
                message("cause.log_overflow",
                        "the log library dropped lines, because they came faster than it writes "
                        "(5 MB/s): set ASCEND_LOG_SYNC_SAVE=1 for the program. It then waits for "
                        "the disk instead, which can make steps longer; lower log levels cost "
                        "nothing")};
}

}  // namespace mstune::coordinator
