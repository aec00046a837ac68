#include "common/step_record.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mstune {
namespace {

enum class CharacterKind : unsigned char { other, blank, equals };

constexpr std::array<CharacterKind, 256> kKinds = [] {
  std::array<CharacterKind, 256> kinds{};
  for (const char blank : {' ', '\t', '\r', '\n', '\v', '\f'}) {
    kinds.at(static_cast<unsigned char>(blank)) = CharacterKind::blank;
  }
  kinds.at(static_cast<unsigned char>('=')) = CharacterKind::equals;
  return kinds;
}();

CharacterKind kind_of(char c) {
  return kKinds[static_cast<unsigned char>(c)];
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

enum Field : std::size_t {
  field_api,
  field_mode,
  field_session_id,
  field_graph_id,
  field_model_id,
  field_step,
  field_start_us,
  field_end_us,
  field_cost_us,
  field_sync_us,
  field_ret,
  field_sync_ret,
  field_count,
};

constexpr std::array<std::string_view, field_count> kNames{
    "api",      "mode",   "session_id", "graph_id", "model_id", "step",
    "start_us", "end_us", "cost_us",    "sync_us",  "ret",      "sync_ret"};

using Values = std::array<std::string_view, field_count>;  // empty: missing

Values split_fields(std::string_view text) {
  Values values;
  const char* at = text.data();
  const char* const end = at + text.size();
  // GE writes the names in this order, so the next one is nearly always the first to try.
  std::size_t expected = 0;
  while (true) {
    while (at != end && kind_of(*at) == CharacterKind::blank) {
      ++at;
    }
    const char* const begin = at;
    while (at != end && kind_of(*at) == CharacterKind::other) {
      ++at;
    }
    const char* const equals = at != end && *at == '=' ? at : nullptr;
    while (at != end && kind_of(*at) != CharacterKind::blank) {
      ++at;
    }
    if (equals == nullptr) {
      return values;
    }
    const std::string_view field(begin, static_cast<std::size_t>(equals - begin));
    for (std::size_t tried = 0; tried < field_count; ++tried) {
      const std::size_t candidate = (expected + tried) % field_count;
      if (kNames[candidate] == field) {
        values[candidate] = {equals + 1, static_cast<std::size_t>(at - equals - 1)};
        expected = candidate + 1;
        break;
      }
    }
  }
}

MalformedStep missing(std::string_view field) {
  return {message("step.missing_field", "the field {} is missing", field)};
}

// Sets `value`, or says what is wrong with the field.
std::optional<MalformedStep> read_number(const Values& values, Field field, Integer& value) {
  const std::string_view text = values[field];
  const ParsedInteger parsed = parse_integer(text);
  switch (parsed.fault) {
    case IntegerFault::none:
      value = parsed.value;
      return std::nullopt;
    case IntegerFault::beyond_64_bits:
      return MalformedStep{
          message("step.beyond_64_bits", "{}={} does not fit into 64 bits", kNames[field], text)};
    case IntegerFault::not_a_number:
      break;
  }
  return MalformedStep{
      message("step.not_an_integer", "{}=\"{}\" is not a whole number", kNames[field], text)};
}

// Exactly one identity, and a whole one: session and graph, or model.
std::optional<MalformedStep> read_object(const Values& values, ObjectId& object) {
  const bool session = !values[field_session_id].empty();
  const bool graph = !values[field_graph_id].empty();
  if (!values[field_model_id].empty()) {
    if (session || graph) {
      return MalformedStep{message("step.both_identities",
                                   "both model_id and session_id or graph_id are given: it is not "
                                   "clear what was executed")};
    }
    object.kind = ObjectId::Kind::model;
    return read_number(values, field_model_id, object.number);
  }
  if (!session || !graph) {
    return MalformedStep{message("step.no_identity",
                                 "neither model_id nor session_id with graph_id is given: it is "
                                 "not clear what was executed")};
  }
  object.kind = ObjectId::Kind::graph;
  auto fault = read_number(values, field_session_id, object.session);
  return fault ? fault : read_number(values, field_graph_id, object.number);
}

std::optional<MalformedStep> read_interval(const Values& values, StepRecord& record) {
  Integer cost = 0;
  if (auto fault = read_number(values, field_start_us, record.start_us)) {
    return fault;
  }
  if (auto fault = read_number(values, field_end_us, record.end_us)) {
    return fault;
  }
  if (auto fault = read_number(values, field_cost_us, cost)) {
    return fault;
  }
  if (record.end_us < record.start_us) {
    return MalformedStep{message("step.ends_before_start",
                                 "end_us={} lies before start_us={}: the clock of the machine was "
                                 "set back during this step",
                                 record.end_us, record.start_us)};
  }
  if (cost != record.end_us - record.start_us) {
    return MalformedStep{message("step.cost_mismatch",
                                 "cost_us={} is not end_us - start_us, which is {}", cost,
                                 record.end_us - record.start_us)};
  }
  record.cost_us = static_cast<std::uint64_t>(cost);
  return std::nullopt;
}

StepText read_record(std::string_view text) {
  constexpr std::array kRequired{field_api,      field_mode,   field_step,
                                 field_start_us, field_end_us, field_cost_us,
                                 field_sync_us,  field_ret,    field_sync_ret};
  const Values values = split_fields(text);
  for (const Field field : kRequired) {
    if (values[field].empty()) {
      return missing(kNames[field]);
    }
  }
  StepRecord record;
  record.api = values[field_api];
  record.mode = values[field_mode];
  if (auto fault = read_object(values, record.object)) {
    return *fault;
  }
  if (auto fault = read_interval(values, record)) {
    return *fault;
  }
  constexpr std::array<std::pair<Field, Integer StepRecord::*>, 4> kPlain{
      {{field_step, &StepRecord::step},
       {field_sync_us, &StepRecord::sync_us},
       {field_ret, &StepRecord::ret},
       {field_sync_ret, &StepRecord::sync_ret}}};
  for (const auto& [field, member] : kPlain) {
    if (auto fault = read_number(values, field, record.*member)) {
      return *fault;
    }
  }
  return record;
}

// "MODULE(PID," at the beginning of `text`, MODULE being capitals, digits and '_'.
std::optional<std::uint64_t> pid_after_module(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (is_capital(text[at]) || is_digit(text[at]) || text[at] == '_')) {
    ++at;
  }
  if (at == 0 || at == text.size() || text[at] != '(') {
    return std::nullopt;
  }
  const std::size_t begin = ++at;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  if (at == text.size() || text[at] != ',') {
    return std::nullopt;
  }
  const ParsedInteger pid = parse_integer(text.substr(begin, at - begin));
  if (pid.fault != IntegerFault::none) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(pid.value);
}

// What stands between the brackets of a level: a word of capitals, or the number of an unknown one.
bool is_level(std::string_view text) {
  constexpr std::array<std::string_view, 8> kLevels{"DEBUG", "INFO",  "WARNING", "WARN",
                                                    "ERROR", "EVENT", "NULL",    "TRACE"};
  return std::find(kLevels.begin(), kLevels.end(), text) != kLevels.end() ||
         (!text.empty() && std::all_of(text.begin(), text.end(), is_digit));
}

std::optional<std::uint64_t> pid_after_level(std::string_view text) {
  for (auto open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    const auto close = text.find(']', open);
    if (close == std::string_view::npos) {
      return std::nullopt;
    }
    if (!is_level(text.substr(open + 1, close - open - 1))) {
      continue;
    }
    const auto module = text.find_first_not_of(' ', close + 1);
    if (module == std::string_view::npos) {
      return std::nullopt;
    }
    if (const auto pid = pid_after_module(text.substr(module))) {
      return pid;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_step_line(std::string_view line) {
  return find_step_tag(line) != std::string_view::npos;
}

std::optional<std::uint64_t> header_pid(std::string_view text) {
  if (text.size() > kStepLeadMax) {
    text.remove_prefix(text.size() - kStepLeadMax);
  }
  if (const auto pid = pid_after_level(text)) {
    return pid;
  }
  // The level may be damaged. Then the first thing that looks like a module and a process does.
  for (auto open = text.find('('); open != std::string_view::npos;
       open = text.find('(', open + 1)) {
    auto begin = open;
    while (begin > 0 &&
           (is_capital(text[begin - 1]) || is_digit(text[begin - 1]) || text[begin - 1] == '_')) {
      --begin;
    }
    if (const auto pid = pid_after_module(text.substr(begin))) {
      return pid;
    }
  }
  return std::nullopt;
}

std::optional<StepText> take_step(std::string_view& line) {
  const auto tag = find_step_tag(line);
  if (tag == std::string_view::npos) {
    line = {};
    return std::nullopt;
  }
  const std::string_view before = line.substr(0, tag);
  line.remove_prefix(tag + kStepTag.size());
  const auto next = find_step_tag(line);
  StepText text = read_record(line.substr(0, std::min(next, kStepFieldsMax)));
  if (auto* record = std::get_if<StepRecord>(&text)) {
    record->header_pid = header_pid(before);
  }
  if (next == std::string_view::npos) {
    line = {};
  }
  return text;
}

}  // namespace mstune
