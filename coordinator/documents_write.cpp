#include <algorithm>
#include <cmath>

#include <fmt/format.h>
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

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// Null where the sum of figures left what a double holds: JSON knows no infinity.
Json figure(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

void add_fleet(Json& json, const Fleet& fleet) {
  json["spread"] = word(fleet.spread);
  json["agents"] = Json::array();
  for (const AgentRecord& agent : fleet.agents) {
    json["agents"].push_back({{"target", agent.target},
                              {"host", agent.host},
                              {"cann_version", agent.cann_version},
                              {"driver_version", agent.driver_version},
                              {"architecture", agent.architecture},
                              {"boot_id", agent.boot_id},
                              {"state", agent.state},
                              {"why", agent.why}});
  }
  json["devices"] = Json::array();
  for (const DeviceRecord& device : fleet.devices) {
    json["devices"].push_back({{"device", device.number},
                               {"agent", device.agent},
                               {"ids", device.ids},
                               {"chip", device.chip},
                               {"why", device.why}});
  }
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
  const bool random = campaign.order.kind == OrderKind::random;
  json["order"] = random ? "random" : "fixed";
  json["seed"] = random ? Json(campaign.order.seed) : Json(nullptr);
  json["drop_first_auto"] = campaign.gates.drop_auto;
  json["max_repeat"] = or_null(campaign.max_repeat);
  json["control_runs"] = campaign.control;
  json["refine"] = campaign.refine;
  json["confirm_rounds"] = campaign.confirm_rounds;
  json["digest_pattern"] = text_or_null(campaign.digest_pattern);
  const Surroundings& around = campaign.surroundings;
  json["target_file"] = text_or_null(around.target_file);
  if (around.target_files.size() > 1) {
    json["target_files"] = around.target_files;
  }
  json["working_directory"] = text_or_null(around.working_directory);
  json["om_directory"] = text_or_null(around.om_directory);
  json["timeout_s"] = figure(around.timeout_s);
  json["versions"] = Json(campaign.versions);
  if (campaign.fleet) {
    add_fleet(json, *campaign.fleet);
  }
  return json;
}

Json to_json(const MeterReading& reading, const char* when) {
  return {{"device", reading.device},
          {"when", when},
          {"temperature_c", or_null(reading.temperature_c)},
          {"power_w", or_null(reading.power_w)},
          {"clock_mhz", or_null(reading.clock_mhz)}};
}

void add_cause(Json& json, const std::optional<Reason>& cause) {
  json["cause"] = cause ? Json(cause->sentence.text) : Json(nullptr);
  json["cause_code"] = cause ? Json(cause->code) : Json(nullptr);
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
  add_cause(json, evaluation.cause);
  json["processes"] = evaluation.processes;
  json["main_process"] = main ? Json(main->pid) : Json(nullptr);
  json["index"] = trial.trial.index;
  json["drop_first"] = evaluation.drop_first;
  json["purpose"] = word(trial.trial.purpose);
  json["stage"] = trial.trial.stage;
  json["digest"] = or_null(trial.digest);
  json["attempt"] = trial.attempt;
  if (trial.trial.device) {
    json["device"] = *trial.trial.device;
  }
  for (const MeterReading& reading : trial.outcome.readings_before) {
    json["readings"].push_back(to_json(reading, kBefore));
  }
  for (const MeterReading& reading : trial.outcome.readings_after) {
    json["readings"].push_back(to_json(reading, kAfter));
  }
  return json;
}

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

// "" for a figure that is not known: `speedup_low, speedup_high, evidence` of a candidate.
struct EvidenceFields {
  std::optional<double> low;
  std::optional<double> high;
  std::optional<std::string> word;
};

EvidenceFields evidence_fields(const Ranking& ranking, const Candidate& candidate) {
  EvidenceFields fields;
  const CandidateConfidence* known = confidence_in(ranking, candidate);
  if (known == nullptr) {
    return fields;
  }
  if (const auto& interval = known->interval) {
    fields.low = std::exp(interval->low);
    fields.high = std::exp(interval->high);
  }
  if (const auto& evidence = known->evidence) {
    fields.word = std::string(word(*evidence));
  }
  return fields;
}

Json interval_json(const Interval& interval) {
  return {{"speedup", figure(std::exp(interval.point))},
          {"speedup_low", figure(std::exp(interval.low))},
          {"speedup_high", figure(std::exp(interval.high))}};
}

// "same", "different", "nondeterministic"; null where there is nothing to compare.
Json result_json(const ResultCheck& check) {
  switch (check.result) {
    case SameResult::same:
      return "same";
    case SameResult::different:
      return "different";
    case SameResult::nondeterministic:
      return "nondeterministic";
    case SameResult::unknown:
      break;
  }
  return nullptr;
}

void add_evidence(Json& json, const Ranking& ranking, const Candidate& candidate) {
  const EvidenceFields fields = evidence_fields(ranking, candidate);
  json["speedup_low"] = fields.low ? figure(*fields.low) : Json(nullptr);
  json["speedup_high"] = fields.high ? figure(*fields.high) : Json(nullptr);
  json["evidence"] = or_null(fields.word);
  const CandidateConfidence* known = confidence_in(ranking, candidate);
  json["more_rounds"] = known == nullptr ? Json(nullptr) : or_null(known->more_rounds);
  json["same_result"] = known == nullptr ? Json(nullptr) : result_json(known->result);
}

Json names(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& candidate : candidates) {
    list.push_back(name(candidate));
  }
  return list;
}

Json drift_json(const Drift& drift) {
  return {{"change", figure(std::expm1(drift.log_change))}, {"p_value", figure(drift.p_value)}};
}

Json confirmation_json(const Confirmation& confirmation) {
  Json json = interval_json(confirmation.interval);
  json["config"] = name(confirmation.candidate);
  json["rounds"] = confirmation.rounds;
  return json;
}

void add_confidence(Json& json, const Confidence& confidence) {
  json["proven"] = name(confidence.proven);
  json["tied"] = names(confidence.tied);
  json["preferred"] = name(confidence.preferred);
  json["control"] = confidence.control ? interval_json(*confidence.control) : Json(nullptr);
  json["confirmation"] =
      confidence.confirmation ? confirmation_json(*confidence.confirmation) : Json(nullptr);
  json["drift"] = confidence.drift ? drift_json(*confidence.drift) : Json(nullptr);
}

Json to_json(const Summary& summary) {
  const auto& figures = summary.figures;
  Json json;
  json["config"] = name(summary.candidate);
  json["trials"] = summary.trials;
  json["valid_trials"] = summary.valid_trials;
  json["steps"] = summary.steps;
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

void add_part(Json& json, const PartRanking& part) {
  json["trials"] = part.trials;
  json["valid_trials"] = part.valid_trials;
  json["recommended"] = name(part.recommended);
  json["summaries"] = Json::array();
  for (const Summary& summary : part.summaries) {
    json["summaries"].push_back(to_json(summary));
  }
}

void add_parts(Json& json, const Ranking& ranking) {
  for (std::size_t at = 0; at < ranking.devices.size(); ++at) {
    add_part(json["devices"][at], ranking.devices[at]);
  }
  if (!ranking.chips.empty()) {
    json["chips"] = Json::array();
    for (const PartRanking& part : ranking.chips) {
      Json chip{{"chip", part.name}, {"devices", part.devices}};
      add_part(chip, part);
      json["chips"].push_back(std::move(chip));
    }
  }
  if (!ranking.devices.empty()) {
    json["disagreements"] = Json::array();
    for (const Message& what : ranking.disagreements) {
      json["disagreements"].push_back(what.text);
    }
  }
}

}  // namespace

std::string campaign_json(const CampaignDocument& campaign) {
  Json json = head(campaign, campaign.candidates);
  if (!campaign.devices_at_looks.empty()) {
    json["devices_at_looks"] = campaign.devices_at_looks;
  }
  json["session_id"] = campaign.session_id;
  json["server_keys"] = Json(campaign.server_keys);
  return text_of(json);
}

std::string trial_json(const EvaluatedTrial& trial, const std::optional<ProgramOutput>& output) {
  Json json = to_json(trial);
  if (output) {
    json["output_dropped_bytes"] = output->dropped_bytes;
    json["output_tail"] = trial.evaluation.valid ? Json(nullptr) : Json(output->tail);
    json["facts"] = Json::object();
    for (const auto& [name, fact] : trial.outcome.facts) {
      std::visit([&, &key = name](const auto& value) { json["facts"][key] = value; }, fact);
    }
  }
  return text_of(json);
}

std::string with_cause(std::string_view trial_json, const std::optional<Reason>& cause) {
  const Json before = Json::parse(trial_json);
  Json json = before;
  add_cause(json, cause);
  const auto is_same = [&](const char* key) { return before.value(key, Json()) == json.at(key); };
  return is_same("cause") && is_same("cause_code") ? std::string(trial_json) : text_of(json);
}

std::string attempt_json(const Trial& trial, std::uint32_t attempt, const Message& why) {
  Json json;
  json["config"] = name(trial.candidate);
  json["repeat"] = trial.repeat;
  json["index"] = trial.index;
  json["attempt"] = attempt;
  json["reason"] = why.text;
  json["reason_code"] = why.id;
  return text_of(json);
}

std::string summary_json(const CampaignDocument& campaign, const Ranking& ranking,
                         const std::vector<EvaluatedTrial>& trials) {
  std::vector<Candidate> ranked;
  Json summaries = Json::array();
  for (const Summary& summary : ranking.summaries) {
    ranked.push_back(summary.candidate);
    summaries.push_back(to_json(summary));
    add_evidence(summaries.back(), ranking, summary.candidate);
  }
  Json json = head(campaign, ranked);
  json["summaries"] = std::move(summaries);
  json["recommended"] = name(ranking.recommended);
  add_confidence(json, ranking.confidence);
  add_parts(json, ranking);
  json["trials"] = Json::array();
  for (const EvaluatedTrial& trial : trials) {
    json["trials"].push_back(to_json(trial));
  }
  return text_of(json);
}

std::string summary_csv(const Ranking& ranking) {
  std::string text =
      "config,trials,valid_trials,steps,mean_us,median_us,p90_us,cv,speedup,verdict,reasons,"
      "speedup_low,speedup_high,evidence\n";
  for (const Summary& summary : ranking.summaries) {
    const auto& figures = summary.figures;
    text += fmt::format("{},{},{},{}", name(summary.candidate), summary.trials,
                        summary.valid_trials, summary.steps);
    text += figures ? fmt::format(",{},{},{},{}", figures->mean_us, figures->median_us,
                                  figures->p90_us, figures->cv)
                    : ",,,,";
    text += summary.speedup ? fmt::format(",{}", *summary.speedup) : ",";
    text += fmt::format(",{},{}", word(summary.verdict), csv_field(joined(summary.reasons)));
    const EvidenceFields evidence = evidence_fields(ranking, summary.candidate);
    text +=
        evidence.low && evidence.high ? fmt::format(",{},{}", *evidence.low, *evidence.high) : ",,";
    text += fmt::format(",{}\n", evidence.word.value_or(""));
  }
  return text;
}

}  // namespace mstune::coordinator
