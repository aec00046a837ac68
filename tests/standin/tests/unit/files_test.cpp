#include <string>

#include <doctest/doctest.h>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/graph_text.h"
#include "tests/standin/common/om_file.h"
#include "tests/standin/common/op_table.h"

using standin::GeError;
using standin::GraphDef;
using standin::OmModel;
using standin::WeightPlace;

namespace {

constexpr const char* kText =
    "graph g\n"
    "attr some.name a value with spaces\n"
    "input x float 4x8\n"
    "const w float 8x2 seed 7 offset 0\n"
    "node p MatMul x w cost=12.5 blocks=3 engine=cube label=mine\n"
    "output p\n";

OmModel small_model(const std::string& mode) {
  OmModel model;
  model.graph = standin::parse_graph(kText);
  model.graph.attributes[standin::kModeAttribute] = mode;
  standin::infer_shapes(model.graph);
  model.plan.stream_of = {-1, -1, 0};
  model.soc_version = "Ascend910B2";
  standin::place_weights(model, WeightPlace::inside, "g");
  return model;
}

}  // namespace

TEST_CASE("graph text: what is written is read back the same") {
  GraphDef graph = standin::parse_graph(kText);
  CHECK(standin::write_graph(graph) == kText);
  graph.gears = {{1, 2}, {3, 4}};
  CHECK(standin::parse_graph(standin::write_graph(graph)).gears == graph.gears);
}

TEST_CASE("graph text: a mistake is named with its line") {
  for (const char* text :
       {"graph g\nnode a Relu x\n", "graph g\ninput x float axb\n", "graph g\ninput x flaot 4\n",
        "graph g\nfoo\n", "graph g\ninput x float 4 seed z\n"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(standin::parse_graph(text), doctest::Contains("Line 2"), GeError);
  }
  CHECK_THROWS_AS(standin::parse_graph("graph g\ninput x float 4\n"), GeError);
}

TEST_CASE("shapes: operators that do not fit are refused") {
  for (const char* lines : {"node p MatMul x x\n", "node p Add x\n", "node p Unheard x\n",
                            "const w float 3x3 seed 1\nnode p Add x w\n"}) {
    CAPTURE(lines);
    GraphDef graph =
        standin::parse_graph(std::string("graph g\ninput x float 4x8\n") + lines + "output p\n");
    CHECK_THROWS_AS(standin::infer_shapes(graph), GeError);
  }
}

TEST_CASE("shapes: dims fill the unknown dimensions and the shapes behind them") {
  GraphDef graph = standin::parse_graph("graph g\ninput x float -1x8\nnode a Relu x\noutput a\n");
  standin::infer_shapes(graph);
  CHECK(standin::has_unknown_shape(graph));
  CHECK(standin::value_bytes(graph.nodes[1]) == 0);
  const GraphDef sized = standin::with_dims(graph, {5});
  CHECK(standin::value_bytes(sized.nodes[1]) == 5 * 8 * 4);
  CHECK_THROWS_AS(standin::with_dims(graph, {5, 6}), GeError);
}

TEST_CASE("om: what is written is read back the same") {
  const OmModel model = small_model("LoadBalance:4");
  const OmModel read = standin::read_om(standin::write_om(model));
  CHECK(standin::write_graph(read.graph) == standin::write_graph(model.graph));
  CHECK(read.plan.stream_of == model.plan.stream_of);
  CHECK(read.weights == model.weights);
  CHECK(read.weights.size() == 8 * 2 * 4);
  CHECK(read.soc_version == "Ascend910B2");
}

TEST_CASE("om: the weights of two candidates are equal at offsets that differ") {
  const OmModel model = small_model("cv");
  const std::string one = standin::write_om(model);
  const std::string two = standin::write_om(small_model("LoadBalance:4"));
  CHECK(one.find(model.weights) != std::string::npos);
  CHECK(two.find(model.weights) == one.find(model.weights) + 11);
}

TEST_CASE("om: every cut of a file, and a wrong magic number, is refused") {
  const std::string bytes = standin::write_om(small_model("cv"));
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    CAPTURE(size);
    CHECK_THROWS_AS(standin::read_om(std::string_view(bytes).substr(0, size)), GeError);
  }
  std::string wrong = bytes;
  wrong[0] = 'X';
  CHECK_THROWS_AS(standin::read_om(wrong), GeError);
}
