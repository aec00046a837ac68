// The graph of sample_run: four independent branches of element-wise operators over one input.
#pragma once

#include <cstdint>

#include <graph/graph.h>
#include <graph/tensor.h>

namespace samples {

// Input and outputs are float matrices of dim × dim. Throws std::runtime_error when an operator
// is not known, which means that GE is not initialized.
ge::Graph four_branches(std::int64_t dim);

ge::TensorDesc square_matrix(std::int64_t dim);

}  // namespace samples
