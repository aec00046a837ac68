// What a STEP record measures: a model, or a graph of a session, inside one process.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/integer.h"

namespace mstune {

struct ObjectId {
  enum class Kind : std::uint8_t { graph, model };

  Kind kind = Kind::model;
  Integer session = 0;  // of a graph; 0 for a model
  Integer number = 0;   // graph_id or model_id

  // Graphs before models, then by number: the order that breaks ties between objects.
  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

// "model:1" or "3:11" (session:graph): as --main-graph takes it and the documents show it.
std::string name(const ObjectId& object);

// Reads such a name. Throws a usage error that quotes the text and shows both forms.
ObjectId parse_object_id(std::string_view text);

}  // namespace mstune
