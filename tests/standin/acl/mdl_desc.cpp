#include <algorithm>
#include <cstring>

#include <acl/acl_mdl.h>

#include "tests/standin/acl/base_types.h"
#include "tests/standin/acl/mdl_state.h"

namespace {

constexpr const char* kGearInput = ACL_DYNAMIC_TENSOR_NAME;
constexpr size_t kBytesOfAGear = 128;

aclmdlDesc::Port port_of(const standin::Node& node) {
  return {node.name, node.data_type, node.shape, standin::value_bytes(node)};
}

// The largest size that a port has over all gears: buffers are made for that.
void enlarge(std::vector<aclmdlDesc::Port>& ports, const standin::GraphDef& graph) {
  for (aclmdlDesc::Port& port : ports) {
    for (const standin::Node& node : graph.nodes) {
      if (node.name == port.name) {
        port.size = std::max(port.size, standin::value_bytes(node));
      }
    }
  }
}

void describe(const standin::GraphDef& graph, aclmdlDesc& desc) {
  desc = {};
  for (const standin::Node& node : graph.nodes) {
    if (node.type == "Data") {
      desc.inputs.push_back(port_of(node));
    }
  }
  for (const size_t output : graph.outputs) {
    desc.outputs.push_back(port_of(graph.nodes[output]));
  }
  desc.gears = graph.gears;
  for (const standin::Dims& gear : graph.gears) {
    const standin::GraphDef sized = standin::with_dims(graph, gear);
    enlarge(desc.inputs, sized);
    enlarge(desc.outputs, sized);
  }
  if (!graph.gears.empty()) {
    desc.inputs.push_back({kGearInput, ACL_INT64, {16}, kBytesOfAGear});
  }
}

aclError copy_dims(const std::vector<aclmdlDesc::Port>& ports, size_t index, aclmdlIODims* dims) {
  if (index >= ports.size() || dims == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *dims = {};
  ports[index].name.copy(dims->name, sizeof dims->name - 1);
  dims->dimCount = ports[index].dims.size();
  std::copy(ports[index].dims.begin(), ports[index].dims.end(), dims->dims);
  return ACL_SUCCESS;
}

const char* name_at(const std::vector<aclmdlDesc::Port>& ports, size_t index) {
  return index < ports.size() ? ports[index].name.c_str() : "";
}

size_t size_at(const std::vector<aclmdlDesc::Port>& ports, size_t index) {
  return index < ports.size() ? ports[index].size : 0;
}

aclDataType type_at(const std::vector<aclmdlDesc::Port>& ports, size_t index) {
  return index < ports.size() ? static_cast<aclDataType>(ports[index].data_type) : ACL_DT_UNDEFINED;
}

}  // namespace

extern "C" {

aclmdlDesc* aclmdlCreateDesc() {
  return new aclmdlDesc;
}

aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc) {
  delete modelDesc;
  return ACL_SUCCESS;
}

aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId) {
  const auto model = standin::find_model(modelId);
  if (modelDesc == nullptr || model == nullptr) {
    return modelDesc == nullptr ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_INVALID_MODEL_ID;
  }
  describe(model->model().graph, *modelDesc);
  return ACL_SUCCESS;
}

size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc) {
  return modelDesc == nullptr ? 0 : modelDesc->inputs.size();
}
size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc) {
  return modelDesc == nullptr ? 0 : modelDesc->outputs.size();
}
size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
  return size_at(modelDesc->inputs, index);
}
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
  return size_at(modelDesc->outputs, index);
}
const char* aclmdlGetInputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
  return name_at(modelDesc->inputs, index);
}
const char* aclmdlGetOutputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
  return name_at(modelDesc->outputs, index);
}
aclDataType aclmdlGetInputDataType(const aclmdlDesc* modelDesc, size_t index) {
  return type_at(modelDesc->inputs, index);
}
aclDataType aclmdlGetOutputDataType(const aclmdlDesc* modelDesc, size_t index) {
  return type_at(modelDesc->outputs, index);
}
aclError aclmdlGetInputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return copy_dims(modelDesc->inputs, index, dims);
}
aclError aclmdlGetInputDimsV2(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return copy_dims(modelDesc->inputs, index, dims);
}
aclError aclmdlGetOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return copy_dims(modelDesc->outputs, index, dims);
}
aclError aclmdlGetCurOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return copy_dims(modelDesc->outputs, index, dims);
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
  if (modelDesc == nullptr || name == nullptr || index == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  for (size_t i = 0; i < modelDesc->inputs.size(); ++i) {
    if (modelDesc->inputs[i].name == name) {
      *index = i;
      return ACL_SUCCESS;
    }
  }
  return ACL_ERROR_INVALID_PARAM;
}

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc* modelDesc, size_t index,
                                        size_t* gearCount) {
  if (modelDesc == nullptr || index != static_cast<size_t>(-1) || gearCount == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  *gearCount = modelDesc->gears.size();
  return ACL_SUCCESS;
}

aclError aclmdlGetInputDynamicDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims,
                                   size_t gearCount) {
  if (modelDesc == nullptr || index != static_cast<size_t>(-1) || dims == nullptr ||
      gearCount < modelDesc->gears.size()) {
    return ACL_ERROR_INVALID_PARAM;
  }
  for (size_t gear = 0; gear < modelDesc->gears.size(); ++gear) {
    // Each gear lists all dimensions of all inputs, the fixed ones too.
    size_t used = 0;
    dims[gear] = {};
    for (const aclmdlDesc::Port& port : modelDesc->inputs) {
      for (const int64_t dim : port.name == kGearInput ? standin::Dims{} : port.dims) {
        dims[gear].dims[dims[gear].dimCount++] =
            dim == -1 ? modelDesc->gears[gear].at(used++) : dim;
      }
    }
  }
  return ACL_SUCCESS;
}

}  // extern "C"
