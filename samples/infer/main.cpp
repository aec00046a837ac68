// sample_infer: executes an OM a number of times by the C API, with the same inputs in every run.
// Its exit status is 0 when all steps succeeded, 1 when something failed, 2 for bad arguments.
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "samples/infer/model.h"

namespace {

void infer(const samples::InferOptions& options) {
  const samples::Device device(options.device);
  samples::Model model(options.om, options.dynamic_dims);
  for (int step = 0; step < options.loop; ++step) {
    model.execute(options.api, device.stream());
  }
  std::printf("%d steps done\ndigest %s\n", options.loop, model.output_digest().c_str());
}

}  // namespace

int main(int count, char** values) {
  samples::InferOptions options;
  try {
    options = samples::parse_infer_options({values + 1, values + count});
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "sample_infer: %s\n%s", error.what(), samples::kInferUsage);
    return 2;
  }
  try {
    infer(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sample_infer: %s\n", error.what());
    return 1;
  }
}
