#include "coordinator/tune.h"

#include <cstdio>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/signals.h"
#include "common/words.h"
#include "coordinator/build_outputs.h"
#include "coordinator/causes_on_disk.h"
#include "coordinator/console.h"
#include "coordinator/exit_codes.h"
#include "coordinator/hand_over.h"
#include "coordinator/hints.h"
#include "coordinator/joint_ranking.h"
#include "coordinator/report_table.h"
#include "coordinator/resume.h"
#include "coordinator/shown_words.h"
#include "coordinator/target.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

void print_plan(const CampaignDocument& document, const SessionOptions& session,
                std::ostream& out) {
  std::vector<std::string> names;
  for (const Candidate& candidate : document.candidates) {
    names.push_back(name(candidate));
  }
  out << said(message("progress.candidates", "candidates ({} x {} rounds): {}", names.size(),
                      document.repeat, fmt::format("{}", fmt::join(names, ", "))))
      << '\n';
  if (!session.build.command.empty()) {
    for (const Candidate& candidate : document.candidates) {
      BuildRequest build = session.build;
      build.candidate = candidate;
      out << fmt::format("[build] {}: {}={} {}\n", name(candidate), kModeVariable, name(candidate),
                         join_words(build_command(build)));
    }
  }
  const protocol::TrialSpec& spec = session.agents.front().spec;
  std::vector<std::string> shown = spec.command;
  if (spec.shell) {
    shown.insert(shown.begin(), {"/bin/bash", "-c"});
  }
  for (const Trial& trial : session.campaign.trials) {
    const std::string mode =
        session.mode_variable.empty()
            ? std::string()
            : fmt::format("{}={} ", session.mode_variable, name(trial.candidate));
    out << fmt::format("[{:03}] {}: {}{}\n", trial.index, said(title_message(trial)), mode,
                       join_words(shown));
  }
  if (session.agents.size() > 1) {
    out << fmt::format("on {} agents ({}):\n", session.agents.size(),
                       word(session.campaign.spread));
    for (const AgentOptions& agent : session.agents) {
      out << fmt::format("  {}: {}\n", agent.name, join_words(agent.spec.command));
    }
  }
}

// The directory of a new run, or the one to go on with and what it holds already.
RunDirectory open_run(const TuneOptions& options, const fs::path& output_dir,
                      Preparation& preparation, os::UniqueFd& lock) {
  SessionOptions& session = preparation.session;
  if (options.resume.empty()) {
    RunDirectory directory = RunDirectory::create(output_dir);
    lock = lock_run(directory);
    session.session_id = os::random_hex_id();
    preparation.document.session_id = session.session_id;
    directory.write_campaign(preparation.document);
    return directory;
  }
  RunDirectory directory(os::absolute_path(options.resume));
  lock = lock_run(directory);
  ResumedRun resumed =
      resume_run(directory, {preparation.document, options.spread, options.seed.has_value()});
  session.session_id = resumed.session_id.empty() ? os::random_hex_id() : resumed.session_id;
  preparation.document.session_id = session.session_id;
  preparation.document.order = resumed.order;
  preparation.document.fleet = std::move(resumed.fleet);
  preparation.document.devices_at_looks = std::move(resumed.devices_at_looks);
  preparation.document.versions.merge(resumed.versions);
  preparation.notes = std::move(resumed.notes);
  preparation.document.server_keys = resumed.server_keys;
  hand_over(std::move(resumed), session);
  return directory;
}

void tell_of_resume(const TuneOptions& options, const Preparation& preparation,
                    Progress& progress) {
  const SessionOptions& session = preparation.session;
  for (const Message& note : preparation.notes) {
    progress.note(note);
  }
  progress.note(message("tune.resumed", "the run goes on: {} trials are on disk already",
                        session.finished.size()));
  const std::size_t ended = options.offline ? end_former_builds(session.session_id) : 0;
  if (ended > 0) {
    progress.note(message("build.former_life",
                          "{} processes of builds that were still running were ended", ended));
  }
}

void tell_how_to_resume(const SessionResult& result, const RunDirectory& directory,
                        Progress& progress) {
  if (result.ending == Ending::interrupted) {
    progress.note(result.why);
    progress.note(message("tune.how_to_resume", "to go on: the same command and --resume {}",
                          directory.path().string()));
  }
}

// On the other stream, which may be gone as well.
void tell_of_lost_output(Progress& progress, const RunDirectory& directory) {
  progress.when_lost([path = directory.path().string()] {
    const Message what = message("tune.output_lost",
                                 "what is told here cannot be written any more; the campaign goes "
                                 "on, its results will be in {}",
                                 path);
    std::fputs(fmt::format("mstune: {}\n", said(what)).c_str(), stderr);
  });
}

}  // namespace

int tune(const TuneOptions& options, const std::vector<std::string>& environment,
         std::ostream& out) {
  os::ignore_broken_pipes();
  Preparation preparation = prepare(options, environment);
  const fs::path output_dir = os::absolute_path(options.output_dir);
  Progress progress(
      out, progress_style(options.quiet, options.json_lines, stdout_is_terminal(), environment),
      stdout_terminal(environment));
  for (const Message& note : preparation.notes) {
    progress.note(note);
  }
  if (options.dry_run) {
    preparation.session.campaign.trials = Stages(preparation.document).first();
    preparation.session.build.om_directory =
        options.om_dir.empty() ? output_dir / "run_…" / "om" : os::absolute_path(options.om_dir);
    print_plan(preparation.document, preparation.session, out);
    return 0;
  }
  os::UniqueFd lock;
  const RunDirectory directory = open_run(options, output_dir, preparation, lock);
  if (options.offline) {
    preparation.session.build.om_directory =
        options.om_dir.empty() ? directory.path() / "om" : os::absolute_path(options.om_dir);
    os::make_directory(preparation.session.build.om_directory);
  }
  tell_of_lost_output(progress, directory);
  progress.campaign(preparation.document, directory.path().string());
  if (!options.resume.empty()) {
    tell_of_resume(options, preparation, progress);
  }
  Stages stages(preparation.document);
  preparation.session.campaign.trials = stages.first();
  preparation.session.campaign.open_ended = stages.open_ended();

  preparation.session.document = preparation.document;
  SessionResult result = run(preparation, stages, directory, progress);
  progress.end();

  preparation.document.candidates = stages.candidates();
  preparation.document.devices_at_looks = stages.devices_at_looks();
  for (const auto& [what, version] : result.versions) {
    preparation.document.versions[what] = version;
  }
  preparation.document.fleet = result.fleet;
  directory.write_campaign(preparation.document);
  name_causes_on_disk(directory, preparation.document, result.trials);
  const Ranking ranking = rank_run(preparation.document, result.trials);
  directory.write_summary(preparation.document, ranking, result.trials);
  directory.write_report(preparation.document, ranking, result.trials);
  if (options.json_lines) {
    tell_how_to_resume(result, directory, progress);  // nothing comes after the last line
    out << finished_line(ranking, directory.path().string()) << std::flush;
  } else {
    if (result.ending != Ending::failed || ranking.any_data()) {
      out << "\n" << report_table(preparation.document, ranking);
    }
    out << hints_text(hints_of({preparation.document, ranking, result.trials,
                                build_outputs(directory, preparation.document)}));
    out << said(message("tune.results", "results: {}", directory.path().string())) << '\n'
        << std::flush;
    tell_how_to_resume(result, directory, progress);
  }
  if (result.ending == Ending::failed) {
    throw Error(ErrorKind::environment, result.why);
  }
  if (result.ending == Ending::interrupted) {
    return kExitInterrupted;
  }
  if (result.left_behind) {
    return kExitLeftBehind;
  }
  return ranking.any_data() ? 0 : 1;
}

}  // namespace mstune::coordinator
