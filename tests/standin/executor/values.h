// The values that a graph computes. Not arithmetic: each value is a fingerprint of the operator and
// of the values it was made from, so that an output tells whether inputs, weights and graph were
// the same, and does not depend on streams. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/standin/common/graph_def.h"

namespace standin {

// One fingerprint for each output, in their order. `inputs` are those of the Data nodes in their
// order, `weights` those of the Const nodes in theirs.
std::vector<std::uint64_t> output_values(const GraphDef& graph,
                                         const std::vector<std::uint64_t>& inputs,
                                         const std::vector<std::uint64_t>& weights);

}  // namespace standin
