#include "tests/standin/compiler/compile.h"

#include <memory>

#include <graph/attr_value.h>
#include <graph/graph.h>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/ge_log.h"
#include "tests/standin/common/knobs.h"
#include "tests/standin/common/op_table.h"
#include "tests/standin/compiler/mode.h"
#include "tests/standin/compiler/pass_loader.h"
#include "tests/standin/compiler/stream_allocator.h"
#include "tests/standin/graph/graph_impl.h"

namespace standin {
namespace {

std::string value_of(const std::map<std::string, std::string>& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

// Passes see the graph through the public API: its attributes are what they may change here.
void run_passes_on(GraphDef& graph, const std::map<std::string, std::string>& options) {
  const auto visible = std::make_shared<ge::Graph>(graph.name.c_str());
  for (const auto& [name, value] : graph.attributes) {
    ge::AttrValue attribute;
    attribute.SetAttrValue(ge::AscendString(value.c_str()));
    visible->SetAttr(ge::AscendString(name.c_str()), attribute);
  }
  load_passes();
  run_passes(visible, options);
  graph.attributes = text_attributes(*visible);
}

}  // namespace

OmModel compile(GraphDef graph, const CompileOptions& options) {
  run_passes_on(graph, options.ge);
  const bool single_stream = value_of(options.ge, "ge.enableSingleStream") == "true";
  AllocationRequest request;
  request.mode = effective_mode(value_of(graph.attributes, kModeAttribute),
                                value_of(options.ge, kModeAttribute), single_stream);
  infer_shapes(graph);

  OmModel model;
  const bool unknown = has_unknown_shape(graph);
  for (const Dims& gear : options.gears) {
    with_dims(graph, gear);  // refuses a gear that does not fit
  }
  graph.gears = options.gears;
  model.unknown_shape = unknown && options.gears.empty();
  request.single_stream = single_stream;
  request.unknown_shape = model.unknown_shape;
  request.multi_stream_for_unknown = environment("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM") == "1";
  const std::string profile = environment("MINIDAG_PROFILING_PATH");
  if (!profile.empty()) {
    request.durations_us = read_durations(profile);
  }
  model.plan = allocate_streams(graph, request);
  model.soc_version = options.soc_version;
  model.graph = std::move(graph);
  place_weights(model, options.weights, options.om_name);
  GE_LOG_EVENT("build model %s: %d streams, %zu events", model.graph.name.c_str(),
               model.plan.streams, model.plan.events.size());
  return model;
}

}  // namespace standin
