#include "tests/standin/atc/build.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/standin/common/file.h"
#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/graph_text.h"
#include "tests/standin/common/knobs.h"
#include "tests/standin/common/om_file.h"
#include "tests/standin/compiler/compile.h"

namespace standin {
namespace {

namespace fs = std::filesystem;

std::string input_file(const AtcOptions& options, const char* option) {
  auto content = read_file(options.value(option));
  if (!content.has_value()) {
    throw GeError("E10005",
                  "Failed to open file [" + options.value(option) + "] of [--" + option + "].");
  }
  return *std::move(content);
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    throw GeError("E19025", "Failed to write file [" + path.string() + "].");
  }
}

// What a TBE compile leaves in the working directory, or where ASCEND_WORK_PATH points.
void leave_litter() {
  const std::string work_path = environment("ASCEND_WORK_PATH");
  const fs::path base = work_path.empty() ? fs::current_path() : fs::path(work_path);
  const fs::path kernels = base / "kernel_meta" / ("kernel_meta_" + std::to_string(getpid()));
  const fs::path fusion = work_path.empty() ? base : base / "FE" / std::to_string(getpid());
  std::error_code failure;
  fs::create_directories(kernels, failure);
  fs::create_directories(fusion, failure);
  std::ofstream(kernels / "te_relu_0.json") << "{}\n";
  std::ofstream(fusion / "fusion_result.json") << "[]\n";
}

// "x:1,256;mask:-1,8": replaces the shapes of inputs.
void set_input_shapes(GraphDef& graph, const std::string& text) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto colon = part.rfind(':');
    const std::string name = part.substr(0, colon);
    bool found = false;
    for (Node& node : graph.nodes) {
      if (colon != std::string::npos && node.type == "Data" && node.name == name) {
        node.shape = parse_gears(part.substr(colon + 1)).front();
        found = true;
      }
    }
    if (!found) {
      throw GeError("E10016",
                    "Opname [" + name + "] of [--input_shape] is not found in the model.");
    }
  }
}

void spend(const AtcKnobs& knobs) {
  std::vector<char> memory(static_cast<std::size_t>(knobs.memory_mib) << 20U, '\1');
  std::this_thread::sleep_for(std::chrono::milliseconds(knobs.slow_ms));
}

CompileOptions compile_options(const AtcOptions& options, const fs::path& output) {
  CompileOptions result;
  const std::string single = options.value("enable_single_stream");
  result.ge = {{kModeAttribute, options.value("multi_stream_parallel_mode")},
               {"ge.enableSingleStream", single == "true" || single == "1" ? "true" : "false"},
               {"ge.socVersion", options.value("soc_version")}};
  result.soc_version = options.value("soc_version");
  result.gears = parse_gears(options.value("dynamic_dims"));
  const std::string external = options.value("external_weight", "0");
  result.weights = external == "1"   ? WeightPlace::file_each
                   : external == "2" ? WeightPlace::file_combined
                                     : WeightPlace::inside;
  result.om_name = output.filename();
  return result;
}

// Files of single weights are named by their content: candidates in one directory share them.
void write_external_weights(const OmModel& model, const fs::path& om) {
  std::map<std::string, std::string> files;
  for (const Node& node : model.graph.nodes) {
    if (node.type == "Const" && !node.weight.file.empty()) {
      std::string& content = files[node.weight.file];
      content.resize(std::max<std::size_t>(content.size(), node.weight.offset));
      content.replace(node.weight.offset, std::string::npos, weight_content(node));
    }
  }
  for (const auto& [name, content] : files) {
    const fs::path directory = fs::absolute(om).parent_path() / "weight";
    fs::create_directories(directory);
    write_file(directory / name, content);
  }
}

std::string host_cpu() {
  utsname name{};
  uname(&name);
  return name.machine;
}

}  // namespace

void build_om(const AtcOptions& options) {
  const AtcKnobs knobs = atc_knobs();
  leave_litter();
  GraphDef graph = parse_graph(input_file(options, "model"));
  set_input_shapes(graph, options.value("input_shape"));
  spend(knobs);
  const std::string output = options.value("output");
  const OmModel model = compile(std::move(graph), compile_options(options, output));

  const auto mode = model.graph.attributes.find(kModeAttribute);
  const std::string built = mode == model.graph.attributes.end() ? "" : mode->second;
  if (knobs.fail == "all" || (!built.empty() && knobs.fail == built)) {
    throw GeError("E40021", "Failed to compile Op [te_relu_0]. (the test asked for it)");
  }
  const fs::path path = om_path(output, model.unknown_shape, options.value("host_env_os", "linux"),
                                options.value("host_env_cpu", host_cpu()));
  std::error_code failure;
  fs::create_directories(fs::absolute(path).parent_path(), failure);
  write_external_weights(model, path);
  write_file(path, write_om(model));
}

void print_om(const AtcOptions& options) {
  const OmModel model = read_om(input_file(options, "om"));
  std::set<std::string> types;
  for (const Node& node : model.graph.nodes) {
    types.insert(node.type);
  }
  std::printf("============ Display Model Info start ============\n");
  std::printf("Original Atc command line: \n");
  std::printf("system   info: soc_version[%s]\n", model.soc_version.c_str());
  std::printf("resource info: stream_num[%d], event_num[%zu], weight_size[%llu B]\n",
              model.plan.streams, model.plan.events.size(),
              static_cast<unsigned long long>(weight_bytes(model.graph)));
  std::printf("om       info: nodes[%zu], op types[%zu]\n", model.graph.nodes.size(), types.size());
  for (const auto& [name, value] : model.graph.attributes) {
    std::printf("attr     info: %s[%s]\n", name.c_str(), value.c_str());
  }
  std::printf("============ Display Model Info end   ============\n");
}

}  // namespace standin
