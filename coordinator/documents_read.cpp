#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "coordinator/documents.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kRepeatMax = 10000;
constexpr int kStageMax = 1000;  // refining goes from one stream count to the next

// A JSON object of a document, with the words for what is wrong in it.
class Fields {
 public:
  Fields(const Json& json, std::string_view path) : json_(json), path_(path) {
    if (!json_.is_object()) {
      throw environment_error("document.no_object", "{}: {} stands where an object belongs", path_,
                              json_.type_name());
    }
  }

  // Null where the field is missing or null.
  [[nodiscard]] const Json* find(const char* field) const {
    const auto found = json_.find(field);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  [[nodiscard]] std::optional<std::string> text(const char* field) const {
    const Json* found = find(field);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (!found->is_string()) {
      throw wrong(field, "a string");
    }
    return found->get<std::string>();
  }
  [[nodiscard]] std::optional<double> number(const char* field) const {
    const Json* found = find(field);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (!found->is_number()) {
      throw wrong(field, "a number");
    }
    return found->get<double>();
  }
  [[nodiscard]] std::uint64_t count(const char* field, std::uint64_t missing) const {
    const Json* found = find(field);
    if (found == nullptr) {
      return missing;
    }
    if (!found->is_number_unsigned()) {
      throw wrong(field, "a whole number from 0");
    }
    return found->get<std::uint64_t>();
  }
  // An object of strings; empty where there is none.
  [[nodiscard]] std::map<std::string, std::string> named_texts(const char* field) const {
    std::map<std::string, std::string> texts;
    const Json* found = find(field);
    if (found == nullptr) {
      return texts;
    }
    if (!found->is_object()) {
      throw wrong(field, "an object");
    }
    for (const auto& [name, value] : found->items()) {
      if (!value.is_string()) {
        throw wrong(field, "an object of strings");
      }
      texts[name] = value.get<std::string>();
    }
    return texts;
  }
  // A count that is kept in 31 bits.
  [[nodiscard]] std::optional<int> small(const char* field) const {
    const Json* found = find(field);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (!found->is_number_integer() || found->get<double>() > std::numeric_limits<int>::max() ||
        found->get<double>() < std::numeric_limits<int>::min()) {
      throw wrong(field, "a whole number of at most 31 bits");
    }
    return found->get<int>();
  }
  // False where the field is missing.
  [[nodiscard]] bool truth(const char* field) const {
    const Json* found = find(field);
    if (found != nullptr && !found->is_boolean()) {
      throw wrong(field, "true or false");
    }
    return found != nullptr && found->get<bool>();
  }
  // Empty where the field is missing.
  [[nodiscard]] std::vector<Json> list(const char* field) const {
    const Json* found = find(field);
    if (found == nullptr) {
      return {};
    }
    if (!found->is_array()) {
      throw wrong(field, "a list");
    }
    return *found;
  }
  [[nodiscard]] std::vector<std::string> texts(const char* field) const {
    std::vector<std::string> texts;
    for (const Json& item : list(field)) {
      if (!item.is_string()) {
        throw wrong(field, "a list of strings");
      }
      texts.push_back(item.get<std::string>());
    }
    return texts;
  }
  [[nodiscard]] Error wrong(const char* field, std::string_view wanted) const {
    return environment_error("document.wrong_type", "{}: \"{}\" should be {}", path_, field,
                             wanted);
  }
  [[nodiscard]] std::string_view path() const { return path_; }

 private:
  const Json& json_;
  std::string_view path_;
};

Json parse_json(std::string_view text, std::string_view path) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& failure) {
    throw environment_error("document.not_json", "{} is not JSON: {}", path, failure.what());
  }
}

// A name from a document: what is wrong with it is wrong with the file, not with the command line.
template <typename Parse>
auto parse_name(Parse parse, const std::string& text, std::string_view path) {
  try {
    return parse(text);
  } catch (const Error& error) {
    throw environment_error("document.bad_name", "{}: {}", path, error.message().text);
  }
}

std::uint32_t small_count(const Fields& fields, const char* field) {
  return static_cast<std::uint32_t>(std::max(0, fields.small(field).value_or(0)));
}

AgentRecord read_agent(const Fields& fields) {
  AgentRecord agent;
  agent.target = fields.text("target").value_or("");
  agent.host = fields.text("host").value_or("");
  agent.cann_version = fields.text("cann_version").value_or("");
  agent.driver_version = fields.text("driver_version").value_or("");
  agent.architecture = fields.text("architecture").value_or("");
  agent.boot_id = fields.text("boot_id").value_or("");
  agent.state = fields.text("state").value_or("");
  agent.why = fields.text("why").value_or("");
  return agent;
}

DeviceRecord read_device(const Fields& fields, const Fleet& fleet) {
  DeviceRecord device;
  device.number = small_count(fields, "device");
  device.agent = small_count(fields, "agent");
  device.chip = fields.text("chip").value_or("");
  device.why = fields.text("why").value_or("");
  for (const Json& id : fields.list("ids")) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > 1023) {
      throw fields.wrong("ids", "a list of device ids");
    }
    device.ids.push_back(id.get<std::int32_t>());
  }
  if (device.number != fleet.devices.size() || device.agent >= fleet.agents.size()) {
    throw fields.wrong("devices", "numbered from 0, each of one of the agents");
  }
  return device;
}

std::optional<Fleet> read_fleet(const Fields& fields) {
  const auto text = fields.text("spread");
  if (!text) {
    return std::nullopt;
  }
  const auto spread = parse_spread(*text);
  if (!spread) {
    throw fields.wrong("spread", "\"share\" or \"replicate\"");
  }
  Fleet fleet;
  fleet.spread = *spread;
  for (const Json& agent : fields.list("agents")) {
    fleet.agents.push_back(read_agent(Fields(agent, fields.path())));
  }
  for (const Json& device : fields.list("devices")) {
    fleet.devices.push_back(read_device(Fields(device, fields.path()), fleet));
  }
  return fleet;
}

CampaignDocument read_campaign(const Fields& fields) {
  CampaignDocument campaign;
  campaign.mode = fields.text("mode").value_or(campaign.mode);
  campaign.command = fields.text("command").value_or("");
  campaign.compile_command = fields.text("compile_command");
  campaign.target_host = fields.text("target_host");
  campaign.session_id = fields.text("session_id").value_or("");
  campaign.server_keys = fields.named_texts("server_keys");
  campaign.repeat = fields.count("repeat", 0);
  campaign.gates.drop_first = fields.count("drop_first", campaign.gates.drop_first);
  campaign.gates.min_steps = fields.count("min_steps", campaign.gates.min_steps);
  campaign.gates.drop_auto = fields.truth("drop_first_auto");
  if (const auto object = fields.text("main_graph")) {
    campaign.gates.main_object = parse_name(parse_object_id, *object, fields.path());
  }
  for (const std::string& config : fields.texts("configs")) {
    campaign.candidates.push_back(parse_name(parse_candidate, config, fields.path()));
  }
  if (fields.text("order") == "random") {
    campaign.order = {OrderKind::random, fields.count("seed", 0)};
  }
  if (fields.find("max_repeat") != nullptr) {
    campaign.max_repeat = fields.count("max_repeat", 0);
    if (*campaign.max_repeat > kRepeatMax) {
      throw fields.wrong("max_repeat", "a number of rounds");
    }
  }
  campaign.control = fields.truth("control_runs");
  campaign.refine = fields.truth("refine");
  campaign.confirm_rounds = std::max(0, fields.small("confirm_rounds").value_or(0));
  campaign.digest_pattern = fields.text("digest_pattern").value_or("");
  campaign.fleet = read_fleet(fields);
  for (const Json& devices : fields.list("devices_at_looks")) {
    campaign.devices_at_looks.push_back(
        devices.is_number_unsigned() ? std::max<std::size_t>(1, devices.get<std::size_t>()) : 1);
  }
  Surroundings& around = campaign.surroundings;
  around.target_file = fields.text("target_file").value_or("");
  around.target_files = fields.texts("target_files");
  around.working_directory = fields.text("working_directory").value_or("");
  around.om_directory = fields.text("om_directory").value_or("");
  around.timeout_s = std::clamp(fields.number("timeout_s").value_or(around.timeout_s), 0.0, 1e9);
  campaign.versions = fields.named_texts("versions");
  return campaign;
}

// Those that the evaluation does not find again by itself.
std::vector<Reason> outside_reasons(const Fields& fields) {
  const auto codes = fields.texts("reason_codes");
  const auto sentences = fields.texts("reasons");
  std::vector<Reason> reasons;
  for (std::size_t at = 0; at < codes.size() && at < sentences.size(); ++at) {
    // One that was never started says why in words that nothing else has.
    if (!is_gate_code(codes[at]) || codes[at] == "not_started") {
      reasons.push_back({codes[at], {"trial." + codes[at], sentences[at], {}}});
    }
  }
  return reasons;
}

Purpose read_purpose(const Fields& fields) {
  const std::string text = fields.text("purpose").value_or(std::string(word(Purpose::measure)));
  for (const Purpose purpose : {Purpose::measure, Purpose::control, Purpose::confirm}) {
    if (text == word(purpose)) {
      return purpose;
    }
  }
  throw fields.wrong("purpose", "\"measure\", \"control\" or \"confirm\"");
}

void read_reading(const Fields& fields, TrialOutcome& outcome) {
  const MeterReading reading{fields.small("device").value_or(0), fields.number("temperature_c"),
                             fields.number("power_w"), fields.number("clock_mhz")};
  const bool is_before = fields.text("when") == kBefore;
  (is_before ? outcome.readings_before : outcome.readings_after).push_back(reading);
}

// A fact of another type is one of a later release.
protocol::Facts read_facts(const Fields& fields) {
  protocol::Facts facts;
  const Json* found = fields.find("facts");
  if (found == nullptr || !found->is_object()) {
    return facts;
  }
  for (const auto& [name, value] : found->items()) {
    if (value.is_number_integer()) {
      facts[name] = value.get<std::int64_t>();
    } else if (value.is_string()) {
      facts[name] = value.get<std::string>();
    }
  }
  return facts;
}

SavedTrial read_trial(const Fields& fields) {
  SavedTrial saved;
  saved.config = fields.text("config").value_or("");
  saved.trial.candidate = parse_name(parse_candidate, saved.config, fields.path());
  saved.trial.repeat = fields.small("repeat").value_or(1);
  if (const auto index = fields.small("index")) {
    if (*index < 0) {
      throw fields.wrong("index", "a whole number from 0");
    }
    saved.index = static_cast<std::uint32_t>(*index);
    saved.trial.index = *saved.index;
  }
  saved.trial.purpose = read_purpose(fields);
  if (fields.find("device") != nullptr) {
    saved.trial.device = small_count(fields, "device");
  }
  saved.trial.stage = fields.small("stage").value_or(0);
  if (saved.trial.stage < 0 || saved.trial.stage > kStageMax) {
    throw fields.wrong("stage", "the number of a refinement");
  }
  saved.attempt = static_cast<std::uint32_t>(std::max(1, fields.small("attempt").value_or(1)));
  if (fields.find("step_count") != nullptr) {
    saved.step_count = fields.count("step_count", 0);
  }
  saved.outcome.exit_code = fields.small("exit_code");
  saved.outcome.wall_seconds = fields.number("wall_seconds");
  saved.outcome.reasons = outside_reasons(fields);
  saved.outcome.facts = read_facts(fields);
  for (const Json& reading : fields.list("readings")) {
    read_reading(Fields(reading, fields.path()), saved.outcome);
  }
  return saved;
}

}  // namespace

CampaignDocument parse_campaign(std::string_view text, std::string_view path) {
  const Json json = parse_json(text, path);
  return read_campaign(Fields(json, path));
}

SavedTrial parse_trial(std::string_view text, std::string_view path) {
  const Json json = parse_json(text, path);
  return read_trial(Fields(json, path));
}

SavedSummary parse_summary(std::string_view text, std::string_view path) {
  const Json json = parse_json(text, path);
  const Fields fields(json, path);
  SavedSummary summary;
  summary.campaign = read_campaign(fields);
  for (const Json& trial : fields.list("trials")) {
    summary.trials.push_back(read_trial(Fields(trial, path)));
  }
  return summary;
}

}  // namespace mstune::coordinator
