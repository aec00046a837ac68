// A pass that fails.
#include <register/register_custom_pass.h>

namespace {

ge::Status fail(ge::GraphPtr& /*graph*/, ge::CustomPassContext& context) {
  context.SetErrorMessage(ge::AscendString("the test asked for it"));
  return ge::GRAPH_FAILED;
}

}  // namespace

REGISTER_CUSTOM_PASS("FailingPass")
    .CustomPassFn(fail)
    .Stage(ge::CustomPassStage::kBeforeInferShape);
