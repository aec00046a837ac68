// What a person may have meant. Pure.
#pragma once

#include <span>
#include <string_view>

namespace mstune::cli {

// Insertions, deletions, replacements and exchanges of neighbours that make `right` of `left`
// (optimal string alignment).
std::size_t edit_distance(std::string_view left, std::string_view right);

// The known word that is nearest to `typed`; empty where none is near enough to be meant. Case and
// "_" for "-" do not count.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> known);

}  // namespace mstune::cli
