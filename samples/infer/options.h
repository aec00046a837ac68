// The command line of sample_infer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace samples {

enum class Api { execute, execute_v2, async, async_v2 };

struct InferOptions {
  std::string om;
  int loop = 20;
  int device = 0;  // without --device: ASCEND_DEVICE_ID
  Api api = Api::execute;
  std::vector<std::int64_t> dynamic_dims;  // all dimensions of all inputs, in their order
};

inline constexpr const char* kInferUsage =
    "usage: sample_infer --om FILE [--loop N] [--device D]\n"
    "                    [--api execute|execute-v2|async|async-v2] [--dynamic-dims 8,256[,...]]\n"
    "Without --device: ASCEND_DEVICE_ID, else 0.\n"
    "async-v2 leaves no STEP record, whatever the model was built with.\n";

// Throws std::invalid_argument with a sentence for the person.
InferOptions parse_infer_options(const std::vector<std::string>& arguments);

}  // namespace samples
