// sample_run: builds a small graph, compiles it in this process and runs it: one step to warm up,
// then the steps that were asked for. Its exit status is 0 when all steps succeeded, 1 when
// something failed, 2 for bad arguments.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <ge/ge_api.h>
#include <ge/ge_api_error_codes.h>
#include <ge/ge_api_types.h>
#include <graph/ascend_string.h>
#include <graph/tensor.h>

#include "samples/device.h"
#include "samples/digest.h"
#include "samples/run/graph.h"

namespace {

// Named, because the calls that take it have overloads for maps of std::string.
using Map = std::map<ge::AscendString, ge::AscendString>;

constexpr std::uint32_t kGraphId = 1;

constexpr const char* kUsage =
    "usage: sample_run [--steps N] [--dim N] [--device D]\n"
    "Without --device: ASCEND_DEVICE_ID, else 0.\n";

struct Options {
  int steps = 12;
  std::int64_t dim = 512;
  int device = 0;
};

int whole_number(const std::string& name, const std::string& text) {
  int number = -1;
  if (!text.empty() && text.size() <= 6 &&
      text.find_first_not_of("0123456789") == std::string::npos) {
    number = std::stoi(text);
  }
  if (number < 1) {
    throw std::invalid_argument(name + " takes a whole number from 1, not \"" + text + "\"");
  }
  return number;
}

// Throws std::invalid_argument with a sentence for the person.
Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  bool has_device = false;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (name == "--steps") {
      options.steps = whole_number(name, value);
    } else if (name == "--dim") {
      options.dim = whole_number(name, value);
    } else if (name == "--device") {
      options.device = samples::device_id(name, value);
      has_device = true;
    } else {
      throw std::invalid_argument("unknown option " + name);
    }
  }
  if (!has_device) {
    options.device = samples::default_device();
  }
  return options;
}

void check(ge::Status status, const char* call) {
  if (status != ge::SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with " + std::to_string(status) + ": " +
                             ge::GEGetErrorMsgV2().GetString());
  }
}

// GE is initialized from make to destroy; a session must have ended before.
class Engine {
 public:
  explicit Engine(int device) {
    const std::string id = std::to_string(device);
    const Map options{{"ge.exec.deviceId", id.c_str()}, {"ge.graphRunMode", "0"}};
    check(ge::GEInitialize(options), "GEInitialize");
  }
  ~Engine() { ge::GEFinalize(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
};

void run(const Options& options) {
  const Engine engine(options.device);
  ge::Session session(Map{});
  check(session.AddGraph(kGraphId, samples::four_branches(options.dim)), "AddGraph");

  const auto bytes = static_cast<std::size_t>(options.dim * options.dim) * sizeof(float);
  const std::vector<unsigned char> content = samples::fixed_input(bytes, 1);
  const std::vector<ge::Tensor> inputs{
      ge::Tensor(samples::square_matrix(options.dim), content.data(), content.size())};
  std::vector<ge::Tensor> outputs;
  for (int step = 0; step < options.steps + 1; ++step) {
    outputs.clear();
    check(session.RunGraph(kGraphId, inputs, outputs), "RunGraph");
  }
  samples::Digest digest;
  for (const ge::Tensor& output : outputs) {
    digest.add(output.GetData(), output.GetSize());
  }
  std::printf("%d steps done after 1 to warm up\ndigest %s\n", options.steps,
              digest.text().c_str());
}

}  // namespace

int main(int count, char** values) {
  Options options;
  try {
    options = parse_options({values + 1, values + count});
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "sample_run: %s\n%s", error.what(), kUsage);
    return 2;
  }
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sample_run: %s\n", error.what());
    return 1;
  }
}
