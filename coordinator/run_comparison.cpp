#include "coordinator/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coordinator/documents.h"
#include "coordinator/inference/two_samples.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;
using Settings = std::map<std::string, std::string>;

void flatten(const Json& json, const std::string& key, Settings& settings) {
  if (json.is_object()) {
    for (const auto& [name, value] : json.items()) {
      flatten(value, key.empty() ? name : key + "." + name, settings);
    }
  } else if (json.is_array() && std::any_of(json.begin(), json.end(), [](const Json& item) {
               return item.is_structured();
             })) {
    for (std::size_t at = 0; at < json.size(); ++at) {
      flatten(json[at], fmt::format("{}.{}", key, at), settings);
    }
  } else {
    settings[key] = json.is_string() ? json.get<std::string>() : json.dump();
  }
}

Settings settings_of(const CampaignDocument& campaign) {
  Settings settings;
  flatten(Json::parse(campaign_json(campaign)), "", settings);
  settings.erase("session_id");  // of no campaign is it that of another
  return settings;
}

std::vector<SettingChange> changes(const Settings& before, const Settings& after) {
  std::vector<SettingChange> result;
  Settings all = before;
  all.insert(after.begin(), after.end());
  for (const auto& [key, ignored] : all) {
    const auto value = [key = key](const Settings& settings) {
      const auto found = settings.find(key);
      return found == settings.end() ? std::string("-") : found->second;
    };
    if (value(before) != value(after)) {
      result.push_back({key, value(before), value(after)});
    }
  }
  return result;
}

// Logarithms of the runs' medians, by where they ran.
using ByDevice = std::map<std::string, std::vector<double>>;

// The same device in two campaigns, whatever its number there; empty: there is only one.
std::string device_key(const CampaignDocument& campaign, std::uint32_t number) {
  if (!campaign.fleet) {
    return "";
  }
  for (const DeviceRecord& device : campaign.fleet->devices) {
    if (device.number == number && device.agent < campaign.fleet->agents.size()) {
      return fmt::format("{} {}", campaign.fleet->agents[device.agent].target,
                         fmt::join(device.ids, ","));
    }
  }
  return fmt::format("#{}", number);
}

ByDevice log_medians(const RunSide& side, const std::vector<RunFigure>& runs,
                     const Candidate& candidate) {
  ByDevice values;
  for (const RunFigure& run : runs) {
    if (run.candidate == candidate && !run.control && run.median_us > 0.0) {
      values[device_key(side.campaign, run.device)].push_back(std::log(run.median_us));
    }
  }
  return values;
}

double average(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The runs of a candidate on the devices that both sides have, in one order.
struct CommonRuns {
  std::vector<std::vector<double>> before;
  std::vector<std::vector<double>> after;

  CommonRuns(const ByDevice& first, const ByDevice& second) {
    for (const auto& [device, values] : first) {
      if (const auto other = second.find(device); other != second.end()) {
        before.push_back(values);
        after.push_back(other->second);
      }
    }
  }

  [[nodiscard]] std::optional<double> ratio() const {
    if (before.empty()) {
      return std::nullopt;
    }
    double sum = 0.0;
    for (std::size_t at = 0; at < before.size(); ++at) {
      sum += average(before[at]) - average(after[at]);
    }
    return std::exp(sum / static_cast<double>(before.size()));
  }
};

CandidateChange change_of(const Candidate& candidate, const RunSide& before, const RunSide& after,
                          const CommonRuns& runs) {
  CandidateChange change;
  change.candidate = candidate;
  const Summary* first = summary_of(before.ranking, candidate);
  const Summary* second = summary_of(after.ranking, candidate);
  if (first != nullptr && first->figures) {
    change.before_us = first->figures->median_us;
  }
  if (second != nullptr && second->figures) {
    change.after_us = second->figures->median_us;
  }
  change.speedup_before = first != nullptr ? first->speedup : std::nullopt;
  change.speedup_after = second != nullptr ? second->speedup : std::nullopt;
  if (before.campaign.fleet || after.campaign.fleet) {
    change.ratio = runs.ratio();
  } else if (change.before_us && change.after_us && *change.after_us > 0.0) {
    change.ratio = *change.before_us / *change.after_us;
  }
  return change;
}

std::vector<Candidate> all_candidates(const Ranking& first, const Ranking& second) {
  std::vector<Candidate> all;
  for (const Ranking* ranking : {&second, &first}) {
    for (const Summary& summary : ranking->summaries) {
      if (std::find(all.begin(), all.end(), summary.candidate) == all.end()) {
        all.push_back(summary.candidate);
      }
    }
  }
  return all;
}

}  // namespace

RunComparison compare_runs(const RunSide& before, const RunSide& after) {
  RunComparison comparison;
  comparison.settings = changes(settings_of(before.campaign), settings_of(after.campaign));
  comparison.recommended_before = before.ranking.recommended;
  comparison.recommended_after = after.ranking.recommended;
  const auto runs_before = run_figures(before.trials);
  const auto runs_after = run_figures(after.trials);
  std::vector<CommonRuns> common;
  for (const Candidate& candidate : all_candidates(before.ranking, after.ranking)) {
    common.emplace_back(log_medians(before, runs_before, candidate),
                        log_medians(after, runs_after, candidate));
    comparison.candidates.push_back(change_of(candidate, before, after, common.back()));
  }
  const auto compared = std::count_if(comparison.candidates.begin(), comparison.candidates.end(),
                                      [](const CandidateChange& each) { return each.ratio; });
  const double confidence = 1 - (1 - kConfidence) / static_cast<double>(compared);
  for (std::size_t at = 0; at < common.size(); ++at) {
    if (comparison.candidates[at].ratio) {
      comparison.candidates[at].interval =
          welch_interval(common[at].before, common[at].after, confidence);
    }
  }
  return comparison;
}

std::string comparison_json(const RunSide& before, const RunSide& after) {
  const RunComparison comparison = compare_runs(before, after);
  const auto figure = [](std::optional<double> value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
  };
  Json json;
  json["before"] = before.name;
  json["after"] = after.name;
  json["recommended_before"] = name(comparison.recommended_before);
  json["recommended_after"] = name(comparison.recommended_after);
  json["settings"] = Json::array();
  for (const SettingChange& change : comparison.settings) {
    json["settings"].push_back(
        {{"key", change.key}, {"before", change.before}, {"after", change.after}});
  }
  json["candidates"] = Json::array();
  for (const CandidateChange& change : comparison.candidates) {
    const auto& interval = change.interval;
    json["candidates"].push_back(
        {{"config", name(change.candidate)},
         {"before_us", figure(change.before_us)},
         {"after_us", figure(change.after_us)},
         {"ratio", figure(change.ratio)},
         {"ratio_low", interval ? figure(std::exp(interval->low)) : Json(nullptr)},
         {"ratio_high", interval ? figure(std::exp(interval->high)) : Json(nullptr)},
         {"speedup_before", figure(change.speedup_before)},
         {"speedup_after", figure(change.speedup_after)}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mstune::coordinator
