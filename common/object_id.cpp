#include "common/object_id.h"

#include <optional>

#include <fmt/format.h>

#include "common/error.h"

namespace mstune {
namespace {

std::optional<Integer> number(std::string_view text) {
  const ParsedInteger parsed = parse_integer(text);
  if (parsed.fault != IntegerFault::none) {
    return std::nullopt;
  }
  return parsed.value;
}

}  // namespace

std::string name(const ObjectId& object) {
  return object.kind == ObjectId::Kind::model ? fmt::format("model:{}", object.number)
                                              : fmt::format("{}:{}", object.session, object.number);
}

ObjectId parse_object_id(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view before = text.substr(0, colon);
    const auto last = number(text.substr(colon + 1));
    if (before == "model" && last) {
      return {ObjectId::Kind::model, 0, *last};
    }
    const auto session = number(before);
    if (session && last) {
      return {ObjectId::Kind::graph, *session, *last};
    }
  }
  throw usage_error("object.bad_name",
                    "\"{}\" names no graph or model: write session_id:graph_id, as in 3:11, or "
                    "model:model_id, as in model:1",
                    text);
}

}  // namespace mstune
