// How a struct tells its names on the wire, once, for packing and unpacking alike.
#pragma once

#include "common/message.h"

namespace mstune::protocol {

// A specialisation has `fields(message, visit)`, which calls visit("name", member) for each field,
// and `kTag` where T travels as a message or as an event.
template <typename T>
struct Wire;

// The names of an enum's values, in their order; the first one, of `unknown`, is empty.
template <typename T>
struct Names;

template <>
struct Wire<Message> {
  static void fields(auto& m, auto&& visit) {
    visit("id", m.id);
    visit("text", m.text);
    visit("arguments", m.arguments);
  }
};

}  // namespace mstune::protocol
