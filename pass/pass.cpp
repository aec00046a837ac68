#include <cstdlib>
#include <exception>
#include <string>

#include <graph/ascend_string.h>
#include <graph/attr_value.h>
#include <graph/graph.h>
#include <register/register_custom_pass.h>

#include "pass/mode_attributes.h"

namespace {

bool set_text(ge::Graph& graph, const char* name, const std::string& value) {
  ge::AttrValue attribute;
  return attribute.SetAttrValue(ge::AscendString(value.c_str())) == ge::GRAPH_SUCCESS &&
         graph.SetAttr(ge::AscendString(name), attribute) == ge::GRAPH_SUCCESS;
}

ge::graphStatus report(ge::CustomPassContext& context, const std::string& why) {
  context.SetErrorMessage(ge::AscendString(why.c_str()));
  return ge::GRAPH_FAILED;
}

// Called by GE for each graph that it builds. Nothing may be thrown across that border.
ge::graphStatus write_mode_attributes(ge::GraphPtr& graph, ge::CustomPassContext& context) {
  try {
    if (graph == nullptr) {
      return report(context, "there is no graph");
    }
    const std::string failure = mstune_pass::write_mode(
        std::getenv(mstune_pass::kModeVariable),
        [&](const char* name, const std::string& value) { return set_text(*graph, name, value); });
    return failure.empty() ? ge::GRAPH_SUCCESS : report(context, failure);
  } catch (const std::exception& error) {
    return report(context, error.what());
  }
}

}  // namespace

// By this mstune knows the library for its own, whatever its file is called.
extern "C" {
extern __attribute__((visibility("default"))) const int mstune_pass_version;
const int mstune_pass_version = 1;
}

REGISTER_CUSTOM_PASS("MstunePass")
    .CustomPassFn(write_mode_attributes)
    .Stage(ge::CustomPassStage::kBeforeInferShape);
