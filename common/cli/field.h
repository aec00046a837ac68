// The place of an option's value: a field of the struct that a command fills.
//
// `into<&TuneOptions::repeat>` is that field, `into<&TuneOptions::gates, &GivenGates::min_steps>` a
// field inside of one. The kind of the option and the type of the field must go together; a word of
// `choices` is stored as the enumerator, or the truth value, at its place in the list.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "common/time.h"

namespace mstune::cli {

// A value that was understood. What is not of its kind is zero.
struct Value {
  std::string text;          // plain punctuation, a ~ replaced
  std::uint64_t number = 0;  // of integers, sizes; 1 for a flag; the place of a word
  Duration duration{};       // of times
};

struct Field {
  const std::type_info* owner = nullptr;  // the struct that it is in
  void (*store)(void* options, const Value& value) = nullptr;
};

template <typename T>
void assign(T& field, const Value& value) {
  if constexpr (std::is_enum_v<T> || std::integral<T>) {
    field = static_cast<T>(value.number);
  } else if constexpr (std::same_as<T, Duration>) {
    field = value.duration;
  } else {
    field = value.text;  // a string or a path
  }
}

template <typename T>
void assign(std::optional<T>& field, const Value& value) {
  assign(field.emplace(), value);
}

// Of options that may be given several times.
template <typename T>
void assign(std::vector<T>& field, const Value& value) {
  assign(field.emplace_back(), value);
}

namespace detail {

template <typename Owner, typename T>
Owner owner_of(T Owner::*member);

template <typename Owner>
Owner& member_of(Owner& owner) {
  return owner;
}

template <typename Owner, typename T, typename... Rest>
auto& member_of(Owner& owner, T Owner::*member, Rest... rest) {
  return member_of(owner.*member, rest...);
}

}  // namespace detail

template <auto First, auto... Rest>
inline constexpr Field into{
    &typeid(decltype(detail::owner_of(First))), [](void* options, const Value& value) {
      auto& owner = *static_cast<decltype(detail::owner_of(First))*>(options);
      assign(detail::member_of(owner, First, Rest...), value);
    }};

// The same for what is taken from a value in a way of its own: void Take(T& field, const Value&).
template <auto Take, auto First, auto... Rest>
inline constexpr Field taken_by{
    &typeid(decltype(detail::owner_of(First))), [](void* options, const Value& value) {
      auto& owner = *static_cast<decltype(detail::owner_of(First))*>(options);
      Take(detail::member_of(owner, First, Rest...), value);
    }};

}  // namespace mstune::cli
