#include "coordinator/run_directory.h"

#include <unistd.h>

#include <ctime>
#include <sstream>
#include <utility>

#include <fmt/chrono.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/file.h"
#include "coordinator/documents.h"
#include "coordinator/report_page.h"

namespace mstune::coordinator {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOmList = "oms.txt";

}  // namespace

RunDirectory RunDirectory::create(const fs::path& output_dir) {
  os::make_directory(output_dir);
  const std::string stem =
      fmt::format("run_{:%Y%m%d_%H%M%S}_{}", fmt::localtime(std::time(nullptr)), ::getpid());
  for (int suffix = 1;; ++suffix) {
    const fs::path path = output_dir / (suffix == 1 ? stem : fmt::format("{}_{}", stem, suffix));
    std::error_code failure;
    if (fs::create_directory(path, failure)) {
      return RunDirectory(path);
    }
    if (failure) {
      throw environment_error("run.cannot_make_directory", "cannot make {}: {}", path.string(),
                              failure.message());
    }
  }
}

fs::path RunDirectory::trial_directory(const Trial& trial) const {
  return path_ / directory_name(trial);
}

void RunDirectory::move_apart(const std::string& name, const Trial& trial, std::uint32_t attempt,
                              const Message& why) const {
  std::error_code failure;
  if (!fs::is_directory(path_ / name, failure)) {
    return;
  }
  os::write_file_atomically(path_ / name / "attempt.json", attempt_json(trial, attempt, why));
  os::make_directory(attempts_directory());
  // A trial that was void after its last attempt may be given up once more when its round moves.
  const std::string stem = fmt::format("{}_a{}", name, attempt);
  std::string kept = stem;
  for (int again = 2; fs::exists(attempts_directory() / kept); ++again) {
    kept = fmt::format("{}_{}", stem, again);
  }
  fs::rename(path_ / name, attempts_directory() / kept, failure);
  if (failure) {
    throw environment_error("run.cannot_move", "cannot move {} to {}: {}", (path_ / name).string(),
                            attempts_directory().string(), failure.message());
  }
}

void RunDirectory::discard(const Trial& trial, std::uint32_t attempt, const Message& why) const {
  os::make_directory(trial_directory(trial));
  move_apart(directory_name(trial), trial, attempt, why);
}

// One line each: "IDENTITY CANDIDATE PATH".
void RunDirectory::note_om(const std::string& candidate, const BuiltOm& om) const {
  auto oms = built_oms();
  oms[candidate] = om;
  std::string list;
  for (const auto& [name, each] : oms) {
    list += fmt::format("{} {} {}\n", each.identity, name, each.path);
  }
  os::write_file_atomically(path_ / kOmList, list);
}

std::map<std::string, BuiltOm> RunDirectory::built_oms() const {
  std::map<std::string, BuiltOm> oms;
  if (!fs::is_regular_file(path_ / kOmList)) {
    return oms;
  }
  std::istringstream lines(os::read_file(path_ / kOmList));
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    if (first != std::string::npos && second != std::string::npos) {
      oms[line.substr(first + 1, second - first - 1)] = {line.substr(0, first),
                                                         line.substr(second + 1)};
    }
  }
  return oms;
}

void RunDirectory::write_campaign(const CampaignDocument& campaign) const {
  os::write_file_atomically(path_ / "campaign.json", campaign_json(campaign));
}

void RunDirectory::write_summary(const CampaignDocument& campaign, const Ranking& ranking,
                                 const std::vector<EvaluatedTrial>& trials) const {
  os::write_file_atomically(path_ / "summary.csv", summary_csv(ranking));
  os::write_file_atomically(path_ / "summary.json", summary_json(campaign, ranking, trials));
}

void RunDirectory::write_report(const CampaignDocument& campaign, const Ranking& ranking,
                                const std::vector<EvaluatedTrial>& trials) const {
  os::write_file_atomically(
      path_ / "report.html",
      report_page({campaign, ranking, trials, path_.filename().string()}, spoken()));
}

fs::path build_log(const fs::path& om_directory, const Candidate& candidate) {
  return om_directory / ("compile_" + file_name(candidate) + ".log");
}

}  // namespace mstune::coordinator
