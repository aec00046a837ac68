#include <cmath>

#include <nlohmann/json.hpp>

#include "coordinator/documents.h"
#include "coordinator/progress_events.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::ordered_json;

Json event_json(const char* kind) {
  return {{"event", kind}};
}

void add_trial(Json& json, const Trial& trial) {
  json["index"] = trial.index;
  json["config"] = name(trial.candidate);
  json["repeat"] = trial.repeat;
  json["purpose"] = word(trial.purpose);
}

Json with_message(Json json, const Message& what) {
  json["id"] = what.id;
  json["text"] = what.text;
  json["arguments"] = what.arguments;
  return json;
}

Json to_json(const CampaignBegun& event) {
  Json json = event_json("campaign");
  json["configs"] = Json::array();
  for (const Candidate& candidate : event.candidates) {
    json["configs"].push_back(name(candidate));
  }
  json["repeat"] = event.rounds;
  json["run_directory"] = event.run_directory;
  return json;
}

Json to_json(const TrialsPlanned& event) {
  Json json = event_json("planned");
  json["trials"] = event.trials;
  json["open_ended"] = event.open_ended;
  return json;
}

Json to_json(const BuildBegun& event) {
  Json json = event_json("build_started");
  json["config"] = name(event.candidate);
  return json;
}

Json to_json(const BuildDone& event) {
  Json json = event_json("build_done");
  json["config"] = name(event.candidate);
  json["seconds"] = event.seconds;
  json["path"] = event.path;
  return json;
}

Json to_json(const BuildLost& event) {
  Json json = event_json("build_failed");
  json["config"] = name(event.candidate);
  json["output_tail"] = event.output_tail;
  return json;
}

Json to_json(const UploadDone& event) {
  Json json = event_json("upload_done");
  json["config"] = name(event.candidate);
  json["size"] = event.size;
  json["sent"] = event.sent;
  return json;
}

Json to_json(const TrialBegun& event) {
  Json json = event_json("trial_started");
  add_trial(json, event.trial);
  json["command"] = event.command;
  return json;
}

Json to_json(const StepsSeen& event) {
  Json json = event_json("steps");
  add_trial(json, event.trial);
  json["steps"] = event.steps;
  json["median_us"] = event.median_us;
  return json;
}

Json to_json(const TrialDone& event) {
  Json json = event_json("trial_done");
  json["trial"] = Json::parse(trial_json(event.trial));
  json["output_tail"] = event.output_tail;
  return json;
}

Json to_json(const Decided& event) {
  return with_message(event_json("decided"), event.what);
}

Json to_json(const Noted& event) {
  return with_message(event_json("note"), event.what);
}

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string json_line(const ProgressEvent& event) {
  return one_line(std::visit([](const auto& each) { return to_json(each); }, event));
}

std::string finished_line(const Ranking& ranking, const std::string& run_directory) {
  Json json = event_json("finished");
  json["recommended"] = name(ranking.recommended);
  json["proven"] = name(ranking.confidence.proven);
  json["any_data"] = ranking.any_data();
  json["run_directory"] = run_directory;
  return one_line(json);
}

}  // namespace mstune::coordinator
