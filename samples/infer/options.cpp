#include "samples/infer/options.h"

#include <map>
#include <sstream>
#include <stdexcept>

#include "samples/device.h"

namespace samples {
namespace {

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least) {
  std::size_t used = 0;
  std::int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || value < least) {
    throw std::invalid_argument(option + " takes whole numbers from " + std::to_string(least) +
                                ", not \"" + text + "\"");
  }
  return value;
}

Api parse_api(const std::string& text) {
  static const std::map<std::string, Api> known{{"execute", Api::execute},
                                                {"execute-v2", Api::execute_v2},
                                                {"async", Api::async},
                                                {"async-v2", Api::async_v2}};
  const auto found = known.find(text);
  if (found == known.end()) {
    throw std::invalid_argument("--api takes execute, execute-v2, async or async-v2, not \"" +
                                text + "\"");
  }
  return found->second;
}

std::vector<std::int64_t> parse_dims(const std::string& text) {
  std::vector<std::int64_t> dims;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    dims.push_back(whole_number("--dynamic-dims", part, 1));
  }
  return dims;
}

}  // namespace

InferOptions parse_infer_options(const std::vector<std::string>& arguments) {
  InferOptions options;
  bool has_device = false;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (i + 1 == arguments.size()) {
      throw std::invalid_argument(name + " needs a value");
    }
    const std::string& value = arguments[i + 1];
    if (name == "--om") {
      options.om = value;
    } else if (name == "--loop") {
      options.loop = static_cast<int>(whole_number(name, value, 1));
    } else if (name == "--device") {
      options.device = device_id(name, value);
      has_device = true;
    } else if (name == "--api") {
      options.api = parse_api(value);
    } else if (name == "--dynamic-dims") {
      options.dynamic_dims = parse_dims(value);
    } else {
      throw std::invalid_argument("unknown option " + name);
    }
  }
  if (options.om.empty()) {
    throw std::invalid_argument("--om is missing");
  }
  if (!has_device) {
    options.device = default_device();
  }
  return options;
}

}  // namespace samples
