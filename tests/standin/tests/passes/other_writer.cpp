// A pass of somebody else's that writes the same attributes.
#include <graph/attr_value.h>
#include <graph/graph.h>
#include <register/register_custom_pass.h>

namespace {

ge::Status write_other_mode(ge::GraphPtr& graph, ge::CustomPassContext& /*context*/) {
  ge::AttrValue mode;
  mode.SetAttrValue(ge::AscendString("MainStream:3"));
  graph->SetAttr(ge::AscendString("ge.autoMultistreamParallelMode"), mode);
  return graph->SetAttr(ge::AscendString("_auto_multistream_tuning_mode"), mode);
}

}  // namespace

REGISTER_CUSTOM_PASS("OtherWriterPass")
    .CustomPassFn(write_other_mode)
    .Stage(ge::CustomPassStage::kBeforeInferShape);
