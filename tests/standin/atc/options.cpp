#include "tests/standin/atc/options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/standin/common/ge_error.h"

namespace standin {
namespace {

// Those that the stand-in acts on, then those that a real command may hold and that change nothing
// here.
constexpr std::array<std::string_view, 29> kKnown{"mode",
                                                  "model",
                                                  "output",
                                                  "soc_version",
                                                  "input_shape",
                                                  "dynamic_dims",
                                                  "external_weight",
                                                  "multi_stream_parallel_mode",
                                                  "enable_single_stream",
                                                  "host_env_os",
                                                  "host_env_cpu",
                                                  "om",
                                                  "log",
                                                  "framework",
                                                  "weight",
                                                  "input_format",
                                                  "output_type",
                                                  "precision_mode",
                                                  "precision_mode_v2",
                                                  "op_select_implmode",
                                                  "optypelist_for_implmode",
                                                  "insert_op_conf",
                                                  "out_nodes",
                                                  "input_fp16_nodes",
                                                  "fusion_switch_file",
                                                  "op_compiler_cache_mode",
                                                  "op_compiler_cache_dir",
                                                  "json",
                                                  "virtual_type"};

void require(const AtcOptions& options, const char* name) {
  if (options.value(name).empty()) {
    throw GeError("E10004", std::string("Value for [--") + name + "] is empty.");
  }
}

bool allowed_in_output(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         byte >= 0x80 || std::string_view("_-./").find(c) != std::string_view::npos;
}

}  // namespace

std::string AtcOptions::value(const std::string& name, const std::string& otherwise) const {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

AtcOptions parse_options(const std::vector<std::string>& arguments) {
  AtcOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto equals = argument.find('=');
    const std::string name =
        argument.substr(0, equals).substr(std::min<std::size_t>(2, argument.size()));
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    if (argument.rfind("--", 0) != 0 ||
        std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) {
      throw GeError("E10016", "Parameter [" + argument + "] is unknown.");
    }
    if (equals != std::string::npos) {
      options.values[name] = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      options.values[name] = arguments[++i];
    } else {
      throw GeError("E10004", "Value for [" + argument + "] is empty.");
    }
  }
  if (options.value("mode", "0") == "0") {
    require(options, "model");
    require(options, "output");
    require(options, "soc_version");
    const std::string output = options.value("output");
    if (!std::all_of(output.begin(), output.end(), allowed_in_output)) {
      throw GeError("E10001", "Value [" + output +
                                  "] for parameter [--output] is invalid. Reason: "
                                  "it may hold letters, digits, '_', '-', '.' and '/'.");
    }
  } else {
    require(options, "om");
  }
  return options;
}

std::string om_path(const std::string& prefix, bool unknown_shape, const std::string& os,
                    const std::string& cpu) {
  std::string path = prefix + ".om";
  if (unknown_shape) {
    path.insert(path.find(".om"), "_" + os + "_" + cpu);
  }
  return path;
}

}  // namespace standin
