// The directory of one campaign: its layout, and what is written when.
//
// Everything about a trial is on disk before the next one starts: steps.log as its lines come,
// the rest when it has ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/plan.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct BuiltOm {
  std::string identity;  // 64 hexadecimal digits
  std::string path;
};

class RunDirectory {
 public:
  // Makes run_YYYYMMDD_HHMMSS_PID below `output_dir`, with a suffix when that is taken.
  static RunDirectory create(const std::filesystem::path& output_dir);

  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path trial_directory(const Trial& trial) const;
  // What a discarded attempt left is kept there for whoever wants to know.
  [[nodiscard]] std::filesystem::path attempts_directory() const { return path_ / "attempts"; }
  // Moves the directory `name` of an attempt at the trial there, with the reason written down in
  // it. One that does not exist is passed over.
  void move_apart(const std::string& name, const Trial& trial, std::uint32_t attempt,
                  const Message& why) const;
  // The same for an attempt that may not have a directory yet: it gets one.
  void discard(const Trial& trial, std::uint32_t attempt, const Message& why) const;

  // The OMs that were built for this run, by candidate; a later one replaces an earlier one.
  void note_om(const std::string& candidate, const BuiltOm& om) const;
  [[nodiscard]] std::map<std::string, BuiltOm> built_oms() const;

  void write_campaign(const CampaignDocument& campaign) const;
  void write_summary(const CampaignDocument& campaign, const Ranking& ranking,
                     const std::vector<EvaluatedTrial>& trials) const;
  // report.html, in the language of this process.
  void write_report(const CampaignDocument& campaign, const Ranking& ranking,
                    const std::vector<EvaluatedTrial>& trials) const;

 private:
  std::filesystem::path path_;
};

// Where that candidate's build writes what it prints.
std::filesystem::path build_log(const std::filesystem::path& om_directory,
                                const Candidate& candidate);

}  // namespace mstune::coordinator
