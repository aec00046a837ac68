#include "tests/standin/common/graph_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "tests/standin/common/ge_error.h"

namespace standin {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 8> kTypes{{{"float", 0},
                                                                  {"float16", 1},
                                                                  {"int8", 2},
                                                                  {"int32", 3},
                                                                  {"uint8", 4},
                                                                  {"int64", 9},
                                                                  {"bool", 12},
                                                                  {"bf16", 27}}};
constexpr std::array<std::pair<std::string_view, Engine>, 3> kEngines{
    {{"cube", Engine::cube}, {"vector", Engine::vector}, {"aicpu", Engine::aicpu}}};

template <typename Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && end == text.data() + text.size();
}

Dims split_dims(std::string_view text, char separator) {
  Dims dims;
  while (!text.empty()) {
    const auto cut = std::min(text.find(separator), text.size());
    std::int64_t dim = 0;
    if (!read_number(text.substr(0, cut), dim) || dim < -1) {
      throw GeError("E10001", "bad dimensions \"" + std::string(text) + "\"");
    }
    dims.push_back(dim);
    text.remove_prefix(std::min(cut + 1, text.size()));
  }
  return dims;
}

std::string join_dims(const Dims& dims, char separator) {
  std::string text;
  for (const std::int64_t dim : dims) {
    text += (text.empty() ? "" : std::string(1, separator)) + std::to_string(dim);
  }
  return text;
}

class Reader {
 public:
  void read_line(const std::string& line) {
    std::istringstream words(line);
    std::string keyword;
    if (!(words >> keyword) || keyword.front() == '#') {
      return;
    }
    if (keyword == "graph") {
      words >> graph_.name;
    } else if (keyword == "attr") {
      read_attribute(words);
    } else if (keyword == "input" || keyword == "const") {
      read_value(words, keyword == "input" ? "Data" : "Const");
    } else if (keyword == "node") {
      read_node(words);
    } else if (keyword == "output") {
      for (std::string name; words >> name;) {
        graph_.outputs.push_back(index_of(name));
      }
    } else if (keyword == "gears") {
      std::string text;
      words >> text;
      graph_.gears = parse_gears(text);
    } else {
      throw GeError("E10001", "unknown word \"" + keyword + "\"");
    }
  }

  GraphDef finish() {
    if (graph_.outputs.empty()) {
      throw GeError("E10001", "a graph needs an output");
    }
    return std::move(graph_);
  }

 private:
  std::size_t index_of(const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) {
      throw GeError("E10001", "\"" + name + "\" is used before it is defined");
    }
    return found->second;
  }

  void add(Node node) {
    if (node.name.empty() || !index_.emplace(node.name, graph_.nodes.size()).second) {
      throw GeError("E10001", "the name \"" + node.name + "\" is missing or taken");
    }
    graph_.nodes.push_back(std::move(node));
  }

  void read_attribute(std::istringstream& words) {
    std::string name;
    std::string value;
    words >> name;
    std::getline(words >> std::ws, value);
    graph_.attributes[name] = value;
  }

  void read_value(std::istringstream& words, const char* type) {
    Node node;
    node.type = type;
    std::string element;
    std::string dims;
    words >> node.name >> element >> dims;
    const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const auto& entry) { return entry.first == element; });
    if (known == kTypes.end()) {
      throw GeError("E10001", "unknown element type \"" + element + "\"");
    }
    node.data_type = known->second;
    node.shape = split_dims(dims, 'x');
    for (std::string key, value; words >> key >> value;) {
      const bool read = key == "file" || (key == "seed" && read_number(value, node.weight.seed)) ||
                        (key == "offset" && read_number(value, node.weight.offset));
      if (!read) {
        throw GeError("E10001", "bad \"" + key + " " + value + "\"");
      }
      if (key == "file") {
        node.weight.file = value;
      }
    }
    add(std::move(node));
  }

  void read_node(std::istringstream& words) {
    Node node;
    words >> node.name >> node.type;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) {
        node.inputs.push_back(index_of(word));
      } else {
        read_key(node, word.substr(0, equals), word.substr(equals + 1));
      }
    }
    add(std::move(node));
  }

  static void read_key(Node& node, const std::string& key, const std::string& value) {
    if (key == "label") {
      node.stream_label = value;
      return;
    }
    if (key == "engine") {
      const auto known = std::find_if(kEngines.begin(), kEngines.end(),
                                      [&](const auto& entry) { return entry.first == value; });
      if (known != kEngines.end()) {
        node.engine = known->second;
        return;
      }
    }
    if ((key == "cost" && read_number(value, node.cost_us)) ||
        (key == "blocks" && read_number(value, node.blocks))) {
      return;
    }
    throw GeError("E10001", "bad \"" + key + "=" + value + "\"");
  }

  GraphDef graph_;
  std::unordered_map<std::string, std::size_t> index_;
};

void write_value(std::ostringstream& text, const Node& node) {
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const auto& entry) { return entry.second == node.data_type; });
  text << (node.type == "Data" ? "input " : "const ") << node.name << ' '
       << (type == kTypes.end() ? "float" : type->first) << ' ' << join_dims(node.shape, 'x');
  if (node.type != "Data") {
    text << " seed " << node.weight.seed << " offset " << node.weight.offset;
    if (!node.weight.file.empty()) {
      text << " file " << node.weight.file;
    }
  }
  text << '\n';
}

void write_node(std::ostringstream& text, const GraphDef& graph, const Node& node) {
  text << "node " << node.name << ' ' << node.type;
  for (const std::size_t input : node.inputs) {
    text << ' ' << graph.nodes[input].name;
  }
  if (node.cost_us > 0) {
    text << " cost=" << node.cost_us;
  }
  if (node.blocks > 0) {
    text << " blocks=" << node.blocks;
  }
  for (const auto& [name, engine] : kEngines) {
    if (engine == node.engine) {
      text << " engine=" << name;
    }
  }
  if (!node.stream_label.empty()) {
    text << " label=" << node.stream_label;
  }
  text << '\n';
}

}  // namespace

GraphDef parse_graph(std::string_view text) {
  Reader reader;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      reader.read_line(line);
    } catch (const GeError& error) {
      throw GeError(error.code(),
                    "Line " + std::to_string(number) + " of the graph: " + error.what() + ".");
    }
  }
  return reader.finish();
}

std::string write_graph(const GraphDef& graph) {
  std::ostringstream text;
  text << "graph " << graph.name << '\n';
  for (const auto& [name, value] : graph.attributes) {
    text << "attr " << name << ' ' << value << '\n';
  }
  for (const Node& node : graph.nodes) {
    if (node.type == "Data" || node.type == "Const") {
      write_value(text, node);
    } else {
      write_node(text, graph, node);
    }
  }
  if (!graph.gears.empty()) {
    text << "gears ";
    for (std::size_t i = 0; i < graph.gears.size(); ++i) {
      text << (i == 0 ? "" : ";") << join_dims(graph.gears[i], ',');
    }
    text << '\n';
  }
  text << "output";
  for (const std::size_t output : graph.outputs) {
    text << ' ' << graph.nodes[output].name;
  }
  text << '\n';
  return text.str();
}

std::vector<Dims> parse_gears(std::string_view text) {
  std::vector<Dims> gears;
  while (!text.empty()) {
    const auto cut = std::min(text.find(';'), text.size());
    gears.push_back(split_dims(text.substr(0, cut), ','));
    text.remove_prefix(std::min(cut + 1, text.size()));
  }
  return gears;
}

}  // namespace standin
