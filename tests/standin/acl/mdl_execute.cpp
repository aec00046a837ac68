#include <algorithm>
#include <cstring>

#include <acl/acl_mdl.h>

#include "tests/standin/acl/base_types.h"
#include "tests/standin/acl/mdl_state.h"
#include "tests/standin/acl/rt_state.h"
#include "tests/standin/common/ge_error.h"

namespace standin {
namespace {

// The unknown dimensions, from the gear or from the descriptions of the tensors.
Dims unknown_dims(const LoadedModel& model, const aclmdlDataset& input) {
  if (!model.model().graph.gears.empty()) {
    return input.gear;
  }
  Dims dims;
  std::size_t index = 0;
  for (const Node& node : model.model().graph.nodes) {
    if (node.type != "Data" || index >= input.items.size()) {
      continue;
    }
    const aclTensorDesc* desc = input.items[index++].desc.get();
    for (std::size_t at = 0; at < node.shape.size(); ++at) {
      if (node.shape[at] == -1 && desc != nullptr && at < desc->dims.size()) {
        dims.push_back(desc->dims[at]);
      }
    }
  }
  return dims;
}

aclError store_outputs(const GraphDef& graph, const Outcome& outcome, aclmdlDataset& output) {
  for (std::size_t i = 0; i < outcome.outputs.size(); ++i) {
    const std::string& content = outcome.outputs[i];
    aclmdlDataset::Item& item = output.items[i];
    if (item.buffer->size < content.size()) {
      return rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                     "EE1001: The buffer of output " + std::to_string(i) +
                         " is too small: " + std::to_string(content.size()) + " bytes are needed.");
    }
    std::memcpy(item.buffer->data, content.data(), content.size());
    item.desc = std::make_unique<aclTensorDesc>(
        aclTensorDesc{static_cast<aclDataType>(graph.nodes[graph.outputs[i]].data_type),
                      ACL_FORMAT_ND, outcome.shapes[i]});
  }
  return ACL_SUCCESS;
}

struct Submission {
  aclrtStream stream = nullptr;
  bool recorded = true;
};

aclError execute(std::uint32_t id, const aclmdlDataset* input, aclmdlDataset* output,
                 const Submission& submission) {
  const auto model = find_model(id);
  if (model == nullptr || input == nullptr || output == nullptr) {
    return rt_fail(model == nullptr ? ACL_ERROR_INVALID_MODEL_ID : ACL_ERROR_INVALID_PARAM,
                   "EE1001: The model id or a dataset is not valid.");
  }
  const GraphDef& graph = model->model().graph;
  const auto inputs = std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                    [](const Node& node) { return node.type == "Data"; });
  const std::size_t wanted = static_cast<std::size_t>(inputs) + (graph.gears.empty() ? 0 : 1);
  if (input->items.size() != wanted || output->items.size() != graph.outputs.size()) {
    return rt_fail(ACL_ERROR_INVALID_PARAM,
                   "EE1001: The number of buffers does not fit the model.");
  }
  Call call;
  for (std::size_t i = 0; i < static_cast<std::size_t>(inputs); ++i) {
    const aclDataBuffer* buffer = input->items[i].buffer;
    call.inputs.emplace_back(static_cast<const char*>(buffer->data), buffer->size);
  }
  call.dims = unknown_dims(*model, *input);
  call.stream = rt_timeline(submission.stream);
  call.recorded = submission.recorded;
  try {
    const Outcome outcome = model->execute(call);
    if (outcome.status != 0) {
      return rt_fail(static_cast<aclError>(outcome.status),
                     "EE9999: Execute model " + std::to_string(id) + " failed.");
    }
    return store_outputs(graph, outcome, *output);
  } catch (const GeError& error) {
    return rt_fail(ACL_ERROR_GE_FAILURE, error.code() + ": " + error.what());
  }
}

}  // namespace
}  // namespace standin

extern "C" {

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output) {
  standin::Timeline own;  // the call waits, so a stream of its own does
  const aclError result = standin::execute(modelId, input, output, {&own, true});
  return result == ACL_SUCCESS ? aclrtSynchronizeStream(&own) : result;
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
                         aclrtStream stream, const aclmdlExecConfigHandle* /*handle*/) {
  const aclError result = standin::execute(modelId, input, output, {stream, true});
  return result == ACL_SUCCESS ? aclrtSynchronizeStream(stream) : result;
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
                            aclrtStream stream) {
  return standin::execute(modelId, input, output, {stream, true});
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
                              aclrtStream stream, const aclmdlExecConfigHandle* /*handle*/) {
  return standin::execute(modelId, input, output, {stream, false});
}

aclmdlDataset* aclmdlCreateDataset() {
  return new aclmdlDataset;
}

aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
  delete dataset;
  return ACL_SUCCESS;
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer) {
  if (dataset == nullptr || dataBuffer == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  dataset->items.push_back({dataBuffer, nullptr});
  return ACL_SUCCESS;
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset) {
  return dataset == nullptr ? 0 : dataset->items.size();
}

aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index) {
  return dataset == nullptr || index >= dataset->items.size() ? nullptr
                                                              : dataset->items[index].buffer;
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* tensorDesc,
                                    size_t index) {
  if (dataset == nullptr || tensorDesc == nullptr || index >= dataset->items.size()) {
    return ACL_ERROR_INVALID_PARAM;
  }
  dataset->items[index].desc = std::make_unique<aclTensorDesc>(*tensorDesc);
  return ACL_SUCCESS;
}

aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index) {
  return dataset == nullptr || index >= dataset->items.size() ? nullptr
                                                              : dataset->items[index].desc.get();
}

aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset* dataset, size_t index,
                                   const aclmdlIODims* dims) {
  const auto model = standin::find_model(modelId);
  if (model == nullptr || dataset == nullptr || dims == nullptr || index >= dataset->items.size()) {
    return ACL_ERROR_INVALID_PARAM;
  }
  // The caller names all dimensions of all inputs; the gear is made of those that were unknown.
  standin::Dims gear;
  size_t at = 0;
  for (const standin::Node& node : model->model().graph.nodes) {
    for (const int64_t dim : node.type == "Data" ? node.shape : standin::Dims{}) {
      if (at >= dims->dimCount || (dim != -1 && dim != dims->dims[at])) {
        return ACL_ERROR_INVALID_PARAM;
      }
      if (dim == -1) {
        gear.push_back(dims->dims[at]);
      }
      ++at;
    }
  }
  const auto& gears = model->model().graph.gears;
  if (std::find(gears.begin(), gears.end(), gear) == gears.end()) {
    return standin::rt_fail(ACL_ERROR_INVALID_PARAM, "EE1001: No gear of the model fits the dims.");
  }
  dataset->gear = gear;
  return ACL_SUCCESS;
}

}  // extern "C"
