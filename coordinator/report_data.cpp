#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/statistics.h"
#include "common/version.h"
#include "coordinator/documents.h"
#include "coordinator/report_devices.h"
#include "coordinator/report_page.h"
#include "coordinator/report_table.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;

Json figure(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

// A sentence in every language, because the reader of the page chooses.
Json sentence(const Message& message) {
  return {{"en", message.text}, {"zh", text_in(Language::chinese, message)}};
}

Json sentences(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) {
    list.push_back(sentence(message));
  }
  return list;
}

// The texts of the page itself.
Json page_words() {
  Json texts = Json::object();
  for (const auto& [id, text] : catalogue(Language::chinese).texts()) {
    if (id.starts_with("page.") || id.starts_with("word.") || id.starts_with("table.")) {
      texts[id] = text;
    }
  }
  return texts;
}

Json candidate_json(const Summary& summary, const Confidence& confidence) {
  const auto found = confidence.candidates.find(summary.candidate);
  const CandidateConfidence known =
      found == confidence.candidates.end() ? CandidateConfidence{} : found->second;
  const auto& figures = summary.figures;
  Json json;
  json["name"] = name(summary.candidate);
  json["streams"] = summary.candidate.streams;
  json["trials"] = summary.trials;
  json["valid_trials"] = summary.valid_trials;
  json["steps"] = summary.steps;
  json["mean_us"] = figures ? figure(figures->mean_us) : Json(nullptr);
  json["median_us"] = figures ? figure(figures->median_us) : Json(nullptr);
  json["p90_us"] = figures ? figure(figures->p90_us) : Json(nullptr);
  json["cv"] = figures ? figure(figures->cv) : Json(nullptr);
  json["speedup"] = figure(summary.speedup);
  const auto& interval = known.interval;
  json["speedup_low"] = interval ? figure(std::exp(interval->low)) : Json(nullptr);
  json["speedup_high"] = interval ? figure(std::exp(interval->high)) : Json(nullptr);
  json["verdict"] = word(summary.verdict);
  json["evidence"] = known.evidence ? Json(word(*known.evidence)) : Json(nullptr);
  json["vetoed"] = known.result.vetoed;
  return json;
}

// [seconds since the first step of the campaign, microseconds]: a step begins where the one before
// it ended, which leaves out what the program does between them.
Json points_json(const TrialEvaluation& evaluation, double origin_s) {
  Json points = Json::array();
  const auto& costs = evaluation.costs_us;
  double at_s = evaluation.start_s.value_or(origin_s) - origin_s;
  std::size_t passed = 0;
  for (const std::size_t step : shown_steps(costs)) {
    for (; passed < step; ++passed) {
      at_s += static_cast<double>(costs[passed]) / 1e6;
    }
    points.push_back({std::round(at_s * 1000.0) / 1000.0, costs[step]});
  }
  return points;
}

// "device 3 (npu-a, device 1, Ascend910B2)"; empty for a campaign with one device.
std::string device_of(const Trial& trial, const CampaignDocument& campaign) {
  if (!trial.device || !campaign.fleet || *trial.device >= campaign.fleet->devices.size()) {
    return "";
  }
  return title(*campaign.fleet, campaign.fleet->devices[*trial.device]);
}

// [before, after] of the trial's first device.
Json before_and_after(const TrialOutcome& outcome, std::optional<double> MeterReading::*meter) {
  const auto first = [&](const std::vector<MeterReading>& readings) {
    return readings.empty() ? std::optional<double>() : readings.front().*meter;
  };
  return {figure(first(outcome.readings_before)), figure(first(outcome.readings_after))};
}

Json trial_data(const EvaluatedTrial& trial, const CampaignDocument& campaign, double origin_s) {
  const TrialEvaluation& evaluation = trial.evaluation;
  std::vector<Message> reasons;
  for (const Reason& reason : evaluation.reasons) {
    reasons.push_back(reason.sentence);
  }
  std::vector<std::uint64_t> pool = evaluation.costs_us;
  const bool counts = evaluation.valid && !pool.empty();
  Json json;
  json["index"] = trial.trial.index;
  json["candidate"] = name(trial.trial.candidate);
  json["round"] = trial.trial.repeat;
  json["purpose"] = word(trial.trial.purpose);
  json["device"] = device_of(trial.trial, campaign);
  json["valid"] = evaluation.valid;
  json["steps"] = evaluation.step_count;
  json["wall_seconds"] = figure(trial.outcome.wall_seconds);
  json["temperature_c"] = before_and_after(trial.outcome, &MeterReading::temperature_c);
  json["clock_mhz"] = before_and_after(trial.outcome, &MeterReading::clock_mhz);
  json["start_s"] =
      evaluation.start_s && counts ? figure(*evaluation.start_s - origin_s) : Json(nullptr);
  json["reasons"] = sentences(reasons);
  json["warnings"] = sentences(evaluation.warnings);
  json["points"] = counts ? points_json(evaluation, origin_s) : Json::array();
  json["median_us"] = counts ? figure(figures_of(pool).median_us) : Json(nullptr);
  return json;
}

double first_start(const std::vector<EvaluatedTrial>& trials) {
  std::optional<double> first;
  for (const EvaluatedTrial& trial : trials) {
    const auto& start = trial.evaluation.start_s;
    if (start && (!first || *start < *first)) {
      first = start;
    }
  }
  return first.value_or(0.0);
}

// A script element ends where "</script" stands, and no JSON needs a bare '<'.
std::string safe_in_script(const std::string& json) {
  std::string result;
  for (const char c : json) {
    result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return result;
}

// Who took part, as people read it.
void add_fleet(const Fleet& fleet, Json& settings) {
  settings["agents"] = Json::array();
  for (const AgentRecord& agent : fleet.agents) {
    const std::string cann = agent.cann_version.empty() ? "" : "CANN " + agent.cann_version;
    std::vector<std::string> facts{agent.host, agent.architecture, cann, agent.state};
    std::erase(facts, "");
    settings["agents"].push_back(fmt::format("{} ({})", agent.target, fmt::join(facts, ", ")));
  }
  settings["devices"] = Json::array();
  for (const DeviceRecord& device : fleet.devices) {
    settings["devices"].push_back(title(fleet, device));
  }
}

}  // namespace

std::vector<std::size_t> shown_steps(const std::vector<std::uint64_t>& costs_us,
                                     std::size_t points_max) {
  const std::size_t count = costs_us.size();
  std::vector<std::size_t> steps;
  if (count <= points_max) {
    for (std::size_t step = 0; step < count; ++step) {
      steps.push_back(step);
    }
    return steps;
  }
  const std::size_t even = points_max - 2;
  for (std::size_t at = 0; at < even; ++at) {
    steps.push_back(at * count / even);
  }
  const auto [least, most] = std::minmax_element(costs_us.begin(), costs_us.end());
  steps.push_back(static_cast<std::size_t>(least - costs_us.begin()));
  steps.push_back(static_cast<std::size_t>(most - costs_us.begin()));
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string report_data(const ReportInput& input, Language language) {
  Json json;
  json["language"] = word(language);
  json["words"] = page_words();
  json["software"] = std::string("mstune ") + kVersion;
  json["run"] = input.run;
  json["settings"] = Json::parse(campaign_json(input.campaign));
  json["settings"].erase("session_id");  // only the agents of this campaign need it
  if (input.campaign.fleet) {
    add_fleet(*input.campaign.fleet, json["settings"]);
  }
  json["recommendation"] = sentences(recommendation_messages(input.ranking));
  for (const Message& line : devices_messages(input.campaign, input.ranking)) {
    json["recommendation"].push_back(sentence(line));
  }
  json["production"] = sentences(production_messages(input.campaign, input.ranking));
  json["candidates"] = Json::array();
  for (const Summary& summary : input.ranking.summaries) {
    json["candidates"].push_back(candidate_json(summary, input.ranking.confidence));
  }
  json["trials"] = Json::array();
  const double origin_s = first_start(input.trials);
  for (const EvaluatedTrial& trial : input.trials) {
    json["trials"].push_back(trial_data(trial, input.campaign, origin_s));
  }
  return safe_in_script(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace mstune::coordinator
