#include "coordinator/preparation.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/cann_version.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/version.h"
#include "common/words.h"
#include "coordinator/compile_command.h"
#include "coordinator/identity.h"
#include "coordinator/sample_target.h"
#include "coordinator/target.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPasswordVariable = "GE_MS_TARGET_PASSWORD=";

// One of the sample's is no target file of ours; what can be taken over of it is written beside it,
// once.
std::vector<Target> read_target_file(const std::string& file, bool may_write) {
  const std::string text = os::read_file(file);
  try {
    return parse_targets(text, file);
  } catch (const Error& mistakes) {
    const auto rewritten = rewrite_sample_target(text);
    const std::string path = rewritten_file(file);
    std::error_code failure;
    if (!rewritten || !may_write || fs::exists(path, failure)) {
      throw;
    }
    os::write_file_atomically(path, rewritten->text);
    throw usage_error("target.rewritten",
                      "{}. What can be taken over of it is in {} now, without {}: put the agent's "
                      "public key into \"server_key\" there, and give that file",
                      mistakes.message(), path,
                      fmt::format("{}", fmt::join(rewritten->dropped, ", ")));
  }
}

// Nothing: this machine.
std::vector<Target> read_targets(const TuneOptions& options) {
  std::vector<Target> targets;
  for (const std::string& file : options.target_files) {
    const auto of_file = read_target_file(file, !options.dry_run);
    targets.insert(targets.end(), of_file.begin(), of_file.end());
  }
  if (!options.inventory.empty()) {
    const auto listed = parse_inventory(os::read_file(options.inventory), options.inventory);
    targets.insert(targets.end(), listed.begin(), listed.end());
  }
  refuse_equal_targets(targets);
  return targets;
}

std::string run_command_of(const TuneOptions& options, const Target* target) {
  const std::string from_target = target != nullptr ? target->run_command : std::string();
  if (!from_target.empty() && !options.run_command.empty()) {
    throw usage_error("tune.two_run_commands",
                      "both --run-command and the target file's \"run_command\" are given: keep "
                      "one of them");
  }
  if (from_target.empty() && options.run_command.empty()) {
    throw usage_error("tune.no_run_command",
                      "no program under test: give --run-command, or \"run_command\" in the target "
                      "file");
  }
  return from_target.empty() ? options.run_command : from_target;
}

std::vector<std::string> run_words(const TuneOptions& options, const std::string& command,
                                   bool from_target, bool shell) {
  const char* what = from_target ? "run_command" : "--run-command";
  std::vector<std::string> words =
      shell ? std::vector<std::string>{command} : split_words(command, what);
  if (words.empty()) {
    throw usage_error("tune.empty_run_command", "{} holds no word", what);
  }
  const bool has_om = holds_placeholder(words, "{om}");
  if (options.offline && !has_om) {
    throw usage_error("tune.no_om_in_run_command",
                      "{} must hold {{om}} in offline mode: it becomes the path of the candidate's "
                      "OM",
                      what);
  }
  if (!options.offline && has_om) {
    throw usage_error("tune.om_in_online_mode",
                      "{} holds {{om}}, but there is no OM in online mode: did you mean --mode "
                      "offline?",
                      what);
  }
  return words;
}

bool wants_shell(const TuneOptions& options, const Target* target) {
  if (options.shell && options.run_command.empty()) {
    throw usage_error("tune.shell_alone",
                      "--shell is about --run-command, and there is none; a target file says "
                      "\"shell\": true");
  }
  return options.run_command.empty() ? target != nullptr && target->shell : options.shell;
}

// The caller's environment less what no child should see.
std::vector<std::string> child_environment(const std::vector<std::string>& environment,
                                           std::vector<Message>& notes) {
  std::vector<std::string> result;
  for (const std::string& variable : environment) {
    if (variable.starts_with(kPasswordVariable)) {
      notes.push_back(message("tune.password_ignored",
                              "GE_MS_TARGET_PASSWORD is set and not used: an agent asks for no "
                              "password; unset it"));
    } else {
      result.push_back(variable);
    }
  }
  return result;
}

Order order_of(const TuneOptions& options) {
  if (options.order == OrderKind::fixed) {
    return {OrderKind::fixed, 0};
  }
  return {OrderKind::random, options.seed ? *options.seed : std::random_device{}()};
}

CampaignDocument document_of(const TuneOptions& options, const std::string& command,
                             const std::vector<Target>& targets) {
  CampaignDocument document;
  document.versions["mstune"] = kVersion;
  document.mode = options.offline ? "offline" : "online";
  document.command = command;
  if (options.offline) {
    document.compile_command = options.compile_command;
  }
  if (!targets.empty()) {
    std::vector<std::string> hosts;
    for (const Target& target : targets) {
      hosts.push_back(target.host);
    }
    document.target_host = fmt::format("{}", fmt::join(hosts, ","));
  }
  document.repeat = static_cast<std::uint64_t>(options.repeat);
  document.gates = options.gates;
  document.candidates = options.candidates;
  document.order = order_of(options);
  if (options.until_proven) {
    document.max_repeat = static_cast<std::uint64_t>(options.max_repeat);
  }
  document.control = options.control;
  document.refine = options.refine;
  document.confirm_rounds = options.confirm_rounds;
  const bool from_target = !targets.empty() && options.digest_pattern.empty();
  document.digest_pattern = from_target ? targets.front().digest_pattern : options.digest_pattern;
  Surroundings& around = document.surroundings;
  if (targets.empty()) {
    around.working_directory = fs::current_path().string();
  } else {
    for (const std::string& file : options.target_files) {
      around.target_files.push_back(os::absolute_path(file).string());
    }
    if (!options.inventory.empty()) {
      around.target_files.push_back(os::absolute_path(options.inventory).string());
    }
    around.target_file = around.target_files.front();
  }
  if (!options.om_dir.empty()) {
    around.om_directory = os::absolute_path(options.om_dir).string();
  }
  around.timeout_s = std::chrono::duration<double>(options.timeout).count();
  return document;
}

std::uint64_t milliseconds(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// Builds that run side by side do not run in this directory, so what is named relative to it is not
// there. "--model=m.onnx" names m.onnx.
void refuse_relative_paths(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    const std::string path = word.substr(word.find('=') + 1);  // all of it without one
    std::error_code failure;
    if (!path.empty() && !path.starts_with('/') && fs::exists(path, failure)) {
      throw usage_error("tune.relative_path",
                        "--compile-command names {}, which is relative, but with --compile-jobs "
                        "each build has a working directory of its own: write {}",
                        path, fs::absolute(path).string());
    }
  }
}

protocol::TrialSpec spec_of(const TuneOptions& options, std::vector<std::string> words,
                            const Target* target) {
  protocol::TrialSpec spec;
  spec.command = std::move(words);
  spec.shell = wants_shell(options, target);
  spec.timeout_ms = milliseconds(options.timeout);
  spec.wait_timeout_ms = milliseconds(options.wait_timeout.value_or(options.timeout));
  spec.output_limit_bytes = options.output_limit_bytes;
  spec.ignore_busy = options.ignore_busy;
  if (target != nullptr) {
    spec.cann_env = target->cann_env;
    spec.environment = target->env;
    spec.working_directory = target->cwd;
  } else {
    spec.working_directory = fs::current_path().string();
  }
  return spec;
}

AgentOptions agent_options(const TuneOptions& options, const Target* target,
                           const std::vector<std::string>& environment) {
  const std::string command = run_command_of(options, target);
  AgentOptions agent;
  agent.spec = spec_of(
      options,
      run_words(options, command, options.run_command.empty(), wants_shell(options, target)),
      target);
  if (target == nullptr) {
    agent.name = "this machine";
    return agent;
  }
  agent.name = title(*target);
  agent.endpoint = endpoint(*target);
  if (!options.dry_run) {
    agent.security = security_for(*target, environment);
  }
  agent.devices_per_trial = target->devices_per_trial;
  agent.keep_files = target->keep;
  for (const TargetFile& file : target->files) {
    agent.files.push_back({file.name, os::absolute_path(file.path)});
  }
  return agent;
}

// Where OMs are built for other machines, the toolkits have to match.
MatchRules match_rules(const TuneOptions& options, const std::vector<std::string>& environment) {
  constexpr std::string_view kHome = "ASCEND_HOME_PATH=";
  MatchRules rules;
  rules.offline = options.offline;
  for (const std::string& variable : environment) {
    if (variable.starts_with(kHome)) {
      rules.build_cann_version = os::cann_version_at(variable.substr(kHome.size()));
    }
  }
  return rules;
}

// Online the program compiles its graph itself, where the agents are.
std::vector<ManagedPass::Options> pass_options(const TuneOptions& options,
                                               const std::vector<Target>& targets,
                                               const std::vector<std::string>& environment) {
  if (options.offline || targets.empty()) {
    return {ManagedPass::Options{
        {}, options.pass_library, std::nullopt, environment, options.connect_timeout}};
  }
  std::vector<ManagedPass::Options> passes;
  for (const Target& target : targets) {
    passes.push_back({{}, options.pass_library, target, environment, options.connect_timeout});
  }
  return passes;
}

}  // namespace

Preparation prepare(const TuneOptions& options, const std::vector<std::string>& environment) {
  Preparation result;
  const std::vector<Target> targets = read_targets(options);
  result.local = targets.empty();
  result.environment = child_environment(environment, result.notes);
  SessionOptions& session = result.session;
  for (const Target& target : targets) {
    result.notes.insert(result.notes.end(), target.notes.begin(), target.notes.end());
    session.agents.push_back(agent_options(options, &target, environment));
  }
  if (result.local) {
    session.agents.push_back(agent_options(options, nullptr, environment));
  } else {
    session.match = match_rules(options, environment);
  }
  session.allow_mismatch = options.allow_mismatch;
  const std::string command = run_command_of(options, targets.empty() ? nullptr : &targets.front());
  result.document = document_of(options, command, targets);
  session.campaign.spread = options.spread;
  session.campaign.order = result.document.order;
  session.gates = options.gates;
  session.digest_pattern = result.document.digest_pattern;
  session.upload_timeout = options.upload_timeout.value_or(options.timeout);
  session.mode_variable = options.offline ? "" : kModeVariable;
  session.campaign.candidates = options.candidates;
  // Files that go along are uploaded where OMs would be, after a build of nothing.
  session.campaign.offline =
      options.offline ||
      std::any_of(session.agents.begin(), session.agents.end(),
                  [](const AgentOptions& agent) { return !agent.files.empty(); });
  session.campaign.compile_jobs = static_cast<std::size_t>(options.compile_jobs);
  session.campaign.keep_going = options.keep_going;
  session.campaign.pipeline = options.pipeline;
  session.campaign.machine = os::boot_id();
  session.campaign.attempts_max = static_cast<std::uint32_t>(options.retries) + 1;
  session.campaign.reconnect_grace = options.reconnect_grace;
  session.campaign.connect_timeout = options.connect_timeout;
  session.campaign.agent_wait = options.agent_wait;
  session.campaign.trial_timeout = options.timeout;
  session.campaign.stall_timeout = options.stall_timeout;
  session.plog = options.plog;
  session.plog_limit_bytes = options.plog_limit_bytes;
  session.records_max = options.records_max;
  if (options.offline) {
    session.build.command = compile_words(options.compile_command);
    session.build.environment = result.environment;
    session.build.timeout = options.build_timeout.value_or(options.timeout);
    session.build.own_directory = options.compile_jobs > 1;
    if (session.build.own_directory) {
      refuse_relative_paths(session.build.command);
    }
  }
  if (options.manage_pass) {
    result.passes = pass_options(options, targets, result.environment);
  }
  return result;
}

}  // namespace mstune::coordinator
