#include <cmath>

#include <nlohmann/json.hpp>

#include "coordinator/csv.h"
#include "coordinator/documents.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;

// A command or a log may hold any bytes; what is not UTF-8 becomes U+FFFD.
std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Null where the sum of figures left what a double holds: JSON knows no infinity.
Json figure(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json head(const CampaignDocument& campaign, const std::vector<Candidate>& order) {
  Json configs = Json::array();
  for (const Candidate& candidate : order) {
    configs.push_back(name(candidate));
  }
  const auto& main = campaign.gates.main_object;
  Json json;
  json["mode"] = campaign.mode;
  json["command"] = campaign.command;
  json["compile_command"] = or_null(campaign.compile_command);
  json["target_host"] = or_null(campaign.target_host);
  json["repeat"] = campaign.repeat;
  json["drop_first"] = campaign.gates.drop_first;
  json["min_steps"] = campaign.gates.min_steps;
  json["main_graph"] = main ? Json(name(*main)) : Json(nullptr);
  json["configs"] = std::move(configs);
  return json;
}

Json to_json(const EvaluatedTrial& trial) {
  const TrialEvaluation& evaluation = trial.evaluation;
  Json reasons = Json::array();
  Json codes = Json::array();
  for (const Reason& reason : evaluation.reasons) {
    reasons.push_back(reason.sentence.text);
    codes.push_back(reason.code);
  }
  Json warnings = Json::array();
  for (const Message& warning : evaluation.warnings) {
    warnings.push_back(warning.text);
  }
  const auto& main = evaluation.main_object;
  Json json;
  json["config"] = name(trial.trial.candidate);
  json["repeat"] = trial.trial.repeat;
  json["exit_code"] = or_null(trial.outcome.exit_code);
  json["wall_seconds"] =
      trial.outcome.wall_seconds ? figure(*trial.outcome.wall_seconds) : Json(nullptr);
  json["step_count"] = evaluation.step_count;
  json["main_graph"] = main ? name(main->object) : "-";
  json["valid"] = evaluation.valid;
  json["reasons"] = std::move(reasons);
  json["reason_codes"] = std::move(codes);
  json["warnings"] = std::move(warnings);
  json["processes"] = evaluation.processes;
  json["main_process"] = main ? Json(main->pid) : Json(nullptr);
  json["index"] = trial.trial.index;
  json["attempt"] = trial.attempt;
  return json;
}

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

Json to_json(const Summary& summary) {
  const auto& figures = summary.figures;
  Json json;
  json["config"] = name(summary.candidate);
  json["trials"] = summary.trials;
  json["valid_trials"] = summary.valid_trials;
  json["steps"] = figures ? figures->count : 0;
  json["mean_us"] = figures ? figure(figures->mean_us) : Json(nullptr);
  json["median_us"] = figures ? figure(figures->median_us) : Json(nullptr);
  json["p90_us"] = figures ? figure(figures->p90_us) : Json(nullptr);
  json["cv"] = figures ? figure(figures->cv) : Json(nullptr);
  json["speedup"] = summary.speedup ? figure(*summary.speedup) : Json(nullptr);
  json["verdict"] = word(summary.verdict);
  json["reasons"] = joined(summary.reasons);
  json["reason_codes"] = summary.reason_codes;
  return json;
}

}  // namespace

std::string campaign_json(const CampaignDocument& campaign) {
  Json json = head(campaign, campaign.candidates);
  json["session_id"] = campaign.session_id;
  return text_of(json);
}

std::string trial_json(const EvaluatedTrial& trial) {
  return text_of(to_json(trial));
}

std::string summary_json(const CampaignDocument& campaign, const Ranking& ranking,
                         const std::vector<EvaluatedTrial>& trials) {
  std::vector<Candidate> ranked;
  Json summaries = Json::array();
  for (const Summary& summary : ranking.summaries) {
    ranked.push_back(summary.candidate);
    summaries.push_back(to_json(summary));
  }
  Json json = head(campaign, ranked);
  json["summaries"] = std::move(summaries);
  json["recommended"] = name(ranking.recommended);
  json["trials"] = Json::array();
  for (const EvaluatedTrial& trial : trials) {
    json["trials"].push_back(to_json(trial));
  }
  return text_of(json);
}

std::string summary_csv(const Ranking& ranking) {
  std::string text =
      "config,trials,valid_trials,steps,mean_us,median_us,p90_us,cv,speedup,verdict,reasons\n";
  for (const Summary& summary : ranking.summaries) {
    const auto& figures = summary.figures;
    text += fmt::format("{},{},{},{}", name(summary.candidate), summary.trials,
                        summary.valid_trials, figures ? figures->count : 0);
    text += figures ? fmt::format(",{},{},{},{}", figures->mean_us, figures->median_us,
                                  figures->p90_us, figures->cv)
                    : ",,,,";
    text += summary.speedup ? fmt::format(",{}", *summary.speedup) : ",";
    text += fmt::format(",{},{}\n", word(summary.verdict), csv_field(joined(summary.reasons)));
  }
  return text;
}

}  // namespace mstune::coordinator
