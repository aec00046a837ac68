#include "coordinator/production.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/language.h"
#include "coordinator/shown_words.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;

Message measured(const Candidate& candidate, const Ranking& ranking) {
  const Summary* summary = summary_of(ranking, candidate);
  const CandidateConfidence* known = confidence_in(ranking, candidate);
  if (candidate == kDefaultCandidate || summary == nullptr || !summary->speedup) {
    return message("export.unmeasured", "{}", name(candidate));
  }
  const std::string speedup = fmt::format("{:.3f}", *summary->speedup);
  if (known == nullptr || !known->interval) {
    return message("export.measured", "{}: {} times as fast as default", name(candidate), speedup);
  }
  return message("export.measured_interval",
                 "{}: {} times as fast as default (with 95 % confidence {}): {}", name(candidate),
                 speedup, interval_message(*known->interval),
                 word_message(known->evidence.value_or(Evidence::inconclusive)));
}

template <typename... Values>
void add_line(std::string& text, std::string_view id, Phrase<sizeof...(Values)> phrase,
              const Values&... values) {
  text += said(message(id, phrase, values...)) + '\n';
}

}  // namespace

std::vector<Message> production_remarks(const Candidate& candidate, const Ranking& ranking) {
  std::vector<Message> remarks;
  remarks.push_back(message("export.remove_pass",
                            "Remove the tuning pass: with it every step is recorded and "
                            "synchronized, and what it writes on the graph beats these options."));
  if (candidate == kDefaultCandidate) {
    remarks.push_back(message("export.default_is_nothing",
                              "default means to set nothing: as the value of an option GE refuses "
                              "it (E10001)."));
  } else {
    remarks.push_back(message("export.single_stream",
                              "Leave ge.enableSingleStream (atc --enable_single_stream) unset: GE "
                              "refuses both together (E10056)."));
    remarks.push_back(
        message("export.torchair_unconfirmed",
                "TorchAir: which of its settings carries a session option is not "
                "confirmed for any version; look into yours, and see that the time of "
                "a step changes."));
  }
  if (candidate.strategy == Strategy::weighted_load_balance) {
    remarks.push_back(message("export.weighted_undocumented",
                              "atc accepts WeightedLoadBalance although its documentation does not "
                              "list it: try it again after an upgrade of CANN."));
  }
  const CandidateConfidence* known = confidence_in(ranking, candidate);
  if (known != nullptr && known->result.vetoed) {
    remarks.push_back(message("export.other_result",
                              "{} computes something else than default (its digest differs): do "
                              "not use it before you know why.",
                              name(candidate)));
  }
  if (candidate != ranking.recommended) {
    remarks.push_back(message("export.not_recommended", "The run recommends {}, not {}.",
                              name(ranking.recommended), name(candidate)));
  }
  return remarks;
}

std::string production_text(const Candidate& candidate, const Ranking& ranking) {
  std::string text = said(measured(candidate, ranking)) + "\n\n";
  if (candidate == kDefaultCandidate) {
    add_line(text, "export.set_nothing", "Session, ATC, TorchAir: set nothing.");
  } else {
    const std::string value = name(candidate);
    add_line(text, "export.session", "Session (GE):  {}={}", kSessionOption, value);
    add_line(text, "export.atc", "ATC:           {}={}", kAtcOption, value);
    add_line(text, "export.torchair",
             "TorchAir:      {}={}, among the options that it starts its GE session with",
             kSessionOption, value);
  }
  text += '\n';
  for (const Message& remark : production_remarks(candidate, ranking)) {
    text += "- " + said(remark) + '\n';
  }
  return text;
}

std::string production_json(const Candidate& candidate, const Ranking& ranking) {
  const std::string value = name(candidate);
  const bool nothing = candidate == kDefaultCandidate;
  const Json options = nothing ? Json::object() : Json{{std::string(kSessionOption), value}};
  const Summary* summary = summary_of(ranking, candidate);
  const CandidateConfidence* known = confidence_in(ranking, candidate);
  const auto figure = [](std::optional<double> number) {
    return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
  };
  const auto interval = known != nullptr ? known->interval : std::nullopt;
  Json json;
  json["config"] = value;
  json["recommended"] = name(ranking.recommended);
  json["proven"] = name(ranking.confidence.proven);
  json["speedup"] = figure(summary != nullptr ? summary->speedup : std::nullopt);
  json["speedup_low"] = figure(interval ? std::optional(std::exp(interval->low)) : std::nullopt);
  json["speedup_high"] = figure(interval ? std::optional(std::exp(interval->high)) : std::nullopt);
  json["evidence"] =
      known != nullptr && known->evidence ? Json(word(*known->evidence)) : Json(nullptr);
  json["session_options"] = options;
  json["atc_arguments"] =
      nothing ? Json::array() : Json::array({fmt::format("{}={}", kAtcOption, value)});
  json["torchair_options"] = options;
  json["remarks"] = Json::array();
  for (const Message& remark : production_remarks(candidate, ranking)) {
    json["remarks"].push_back({{"id", remark.id}, {"text", remark.text}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mstune::coordinator
