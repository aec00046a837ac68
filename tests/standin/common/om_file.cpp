#include "tests/standin/common/om_file.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <set>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/graph_text.h"
#include "tests/standin/common/op_table.h"
#include "tests/standin/common/random.h"

namespace standin {
namespace {

constexpr std::string_view kMagic = "IMODSTND";
constexpr std::size_t kKernelBytes = 6000;

// Little-endian, like the machines that it is for; every field is naturally aligned.
struct Header {
  std::array<char, 8> magic{};
  std::uint32_t header_bytes = 0;
  std::uint32_t version = 0;
  std::uint64_t length = 0;  // after the header
  std::uint32_t model_num = 1;
  std::uint32_t is_unknown_model = 0;
  std::array<char, 32> soc_version{};
  std::array<char, 192> reserved{};
};
static_assert(sizeof(Header) == 256);

enum PartitionType : std::uint32_t { model_def, weights_data, tbe_kernels, task_info };
constexpr std::size_t kPartitions = 4;

struct Partition {
  std::uint32_t type = 0;
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0;  // from the end of the table
  std::uint64_t bytes = 0;
};
using Table = std::array<Partition, kPartitions>;

// One binary for each type of operator, as unlike each other and as alike over candidates as real
// kernels are.
std::string kernels(const GraphDef& graph) {
  std::set<std::string> types;
  for (const Node& node : graph.nodes) {
    if (node.engine != Engine::none) {
      types.insert(node.type);
    }
  }
  std::string bytes;
  for (const std::string& type : types) {
    std::string kernel(kKernelBytes, '\0');
    fill(kernel.data(), kernel.size(), fingerprint(type));
    bytes += kernel;
  }
  return bytes;
}

[[noreturn]] void refuse(const char* why) {
  throw GeError("EE1001", std::string("The model file is not valid: ") + why + ".");
}

}  // namespace

std::string weight_content(const Node& node) {
  if (!node.weight.data.empty()) {
    return {node.weight.data.begin(), node.weight.data.end()};
  }
  std::string content(value_bytes(node), '\0');
  fill(content.data(), content.size(), node.weight.seed);
  return content;
}

void place_weights(OmModel& model, WeightPlace place, const std::string& om_name) {
  std::uint64_t offset = 0;
  for (Node& node : model.graph.nodes) {
    if (node.type != "Const") {
      continue;
    }
    const std::string content = weight_content(node);
    if (place == WeightPlace::file_each) {
      std::array<char, 32> name{};
      std::snprintf(name.data(), name.size(), "weight_%016" PRIx64, fingerprint(content));
      node.weight.file = name.data();
      continue;
    }
    node.weight.offset = offset;
    offset += content.size();
    if (place == WeightPlace::file_combined) {
      node.weight.file = om_name + "_weight_combined";
    } else {
      model.weights += content;
    }
  }
}

std::uint64_t weight_bytes(const GraphDef& graph) {
  std::uint64_t bytes = 0;
  for (const Node& node : graph.nodes) {
    bytes += node.type == "Const" ? value_bytes(node) : 0;
  }
  return bytes;
}

std::string write_om(const OmModel& model) {
  const std::array<std::string, kPartitions> content{write_graph(model.graph), model.weights,
                                                     kernels(model.graph),
                                                     write_plan(model.graph, model.plan)};
  Table table{};
  std::uint64_t offset = 0;
  for (std::uint32_t type = 0; type < kPartitions; ++type) {
    table[type] = {type, 0, offset, content[type].size()};
    offset += content[type].size();
  }
  Header header;
  std::memcpy(header.magic.data(), kMagic.data(), kMagic.size());
  header.header_bytes = sizeof header;
  header.version = 0x20000000;
  header.length = sizeof table + offset;
  header.is_unknown_model = model.unknown_shape ? 1 : 0;
  model.soc_version.copy(header.soc_version.data(), header.soc_version.size() - 1);

  std::string bytes(sizeof header + sizeof table, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, table.data(), sizeof table);
  bytes.reserve(bytes.size() + offset);
  for (const std::string& part : content) {
    bytes += part;
  }
  return bytes;
}

OmModel read_om(std::string_view bytes) {
  Header header;
  Table table{};
  if (bytes.size() < sizeof header + sizeof table) {
    refuse("it is too short");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(table.data(), bytes.data() + sizeof header, sizeof table);
  if (std::string_view(header.magic.data(), header.magic.size()) != kMagic) {
    refuse("the magic number is wrong");
  }
  if (header.length != bytes.size() - sizeof header) {
    refuse("its length is not the one in its header");
  }
  const std::string_view content = bytes.substr(sizeof header + sizeof table);
  std::array<std::string_view, kPartitions> parts;
  for (std::size_t type = 0; type < kPartitions; ++type) {
    const Partition& partition = table[type];
    if (partition.offset > content.size() || partition.bytes > content.size() - partition.offset) {
      refuse("a partition lies outside");
    }
    parts[type] = content.substr(partition.offset, partition.bytes);
  }
  OmModel model;
  model.graph = parse_graph(parts[model_def]);
  infer_shapes(model.graph);
  model.plan = parse_plan(model.graph, std::string(parts[task_info]));
  model.weights = parts[weights_data];
  model.unknown_shape = header.is_unknown_model != 0;
  header.soc_version.back() = '\0';
  model.soc_version = header.soc_version.data();
  return model;
}

}  // namespace standin
