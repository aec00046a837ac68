#include "samples/infer/model.h"

#include <algorithm>
#include <stdexcept>

#include "samples/digest.h"

namespace samples {
namespace {

// For outputs whose size is known only when they are there.
constexpr std::size_t kUnknownOutputBytes = std::size_t{16} << 20U;

std::size_t elements(const std::vector<std::int64_t>& dims) {
  std::size_t count = 1;
  for (const std::int64_t dim : dims) {
    count *= static_cast<std::size_t>(dim);
  }
  return count;
}

}  // namespace

void check(aclError result, const std::string& call) {
  if (result == ACL_SUCCESS) {
    return;
  }
  const char* why = aclGetRecentErrMsg();
  throw std::runtime_error(call + " failed with " + std::to_string(result) +
                           (why == nullptr ? "" : std::string(": ") + why));
}

Device::Device(int id) : id_(id) {
  check(aclInit(nullptr), "aclInit");
  check(aclrtSetDevice(id), "aclrtSetDevice(" + std::to_string(id) + ")");
  check(aclrtCreateStream(&stream_), "aclrtCreateStream");
}

Device::~Device() {
  aclrtDestroyStream(stream_);
  aclrtResetDevice(id_);
  aclFinalize();
}

Model::Model(const std::string& om, const std::vector<std::int64_t>& dynamic_dims) {
  check(aclmdlLoadFromFile(om.c_str(), &id_), "aclmdlLoadFromFile(" + om + ")");
  desc_ = aclmdlCreateDesc();
  check(aclmdlGetDesc(desc_, id_), "aclmdlGetDesc");
  inputs_ = aclmdlCreateDataset();
  outputs_ = aclmdlCreateDataset();
  add_inputs(dynamic_dims);
  add_outputs();
}

Model::~Model() {
  release(inputs_);
  release(outputs_);
  aclmdlDestroyDesc(desc_);
  aclmdlUnload(id_);
}

void Model::release(aclmdlDataset* dataset) {
  for (std::size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
    aclrtFree(aclGetDataBufferAddr(buffer));
    aclDestroyDataBuffer(buffer);
  }
  aclmdlDestroyDataset(dataset);
}

void Model::add_buffer(aclmdlDataset* dataset, std::size_t bytes) {
  void* memory = nullptr;
  check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST),
        "aclrtMalloc of " + std::to_string(bytes) + " bytes");
  check(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, bytes)),
        "aclmdlAddDatasetBuffer");
}

void Model::add_inputs(const std::vector<std::int64_t>& dims) {
  std::size_t gear_input = 0;
  const bool has_gears =
      aclmdlGetInputIndexByName(desc_, ACL_DYNAMIC_TENSOR_NAME, &gear_input) == ACL_SUCCESS;
  std::size_t used = 0;
  for (std::size_t i = 0; i < aclmdlGetNumInputs(desc_); ++i) {
    std::size_t bytes = aclmdlGetInputSizeByIndex(desc_, i);
    aclmdlIODims shape;
    check(aclmdlGetInputDims(desc_, i, &shape), "aclmdlGetInputDims");
    if (bytes == 0) {  // the shape is unknown until it is set
      const auto first = dims.begin() + static_cast<std::ptrdiff_t>(std::min(used, dims.size()));
      const std::size_t count = std::min(shape.dimCount, dims.size() - std::min(used, dims.size()));
      bytes = elements({first, first + static_cast<std::ptrdiff_t>(count)}) *
              aclDataTypeSize(aclmdlGetInputDataType(desc_, i));
    }
    used += shape.dimCount;
    add_buffer(inputs_, bytes);
    const std::vector<unsigned char> content = fixed_input(bytes, i + 1);
    check(aclrtMemcpy(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(inputs_, i)), bytes,
                      content.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy to the device");
  }
  if (has_gears) {
    set_gear(gear_input, dims);
  } else if (!dims.empty()) {
    set_shapes(dims);
  }
}

void Model::set_gear(std::size_t index, const std::vector<std::int64_t>& dims) {
  aclmdlIODims gear{};
  gear.dimCount = std::min<std::size_t>(dims.size(), ACL_MAX_DIM_CNT);
  std::copy_n(dims.begin(), gear.dimCount, gear.dims);
  check(aclmdlSetInputDynamicDims(id_, inputs_, index, &gear),
        "aclmdlSetInputDynamicDims (the model has gears: --dynamic-dims must name one)");
}

void Model::set_shapes(const std::vector<std::int64_t>& dims) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < aclmdlGetNumInputs(desc_); ++i) {
    aclmdlIODims shape;
    check(aclmdlGetInputDims(desc_, i, &shape), "aclmdlGetInputDims");
    if (used + shape.dimCount > dims.size()) {
      throw std::runtime_error("--dynamic-dims must name every dimension of every input");
    }
    aclTensorDesc* desc =
        aclCreateTensorDesc(aclmdlGetInputDataType(desc_, i), static_cast<int>(shape.dimCount),
                            dims.data() + used, ACL_FORMAT_ND);
    check(aclmdlSetDatasetTensorDesc(inputs_, desc, i), "aclmdlSetDatasetTensorDesc");
    aclDestroyTensorDesc(desc);
    used += shape.dimCount;
  }
  shapes_set_ = true;
}

void Model::add_outputs() {
  for (std::size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) {
    const std::size_t bytes = aclmdlGetOutputSizeByIndex(desc_, i);
    add_buffer(outputs_, bytes == 0 ? kUnknownOutputBytes : bytes);
  }
}

void Model::execute(Api api, aclrtStream stream) {
  switch (api) {
    case Api::execute:
      check(aclmdlExecute(id_, inputs_, outputs_), "aclmdlExecute");
      return;
    case Api::execute_v2:
      check(aclmdlExecuteV2(id_, inputs_, outputs_, stream, nullptr), "aclmdlExecuteV2");
      return;
    case Api::async:
      check(aclmdlExecuteAsync(id_, inputs_, outputs_, stream), "aclmdlExecuteAsync");
      break;
    case Api::async_v2:
      check(aclmdlExecuteAsyncV2(id_, inputs_, outputs_, stream, nullptr), "aclmdlExecuteAsyncV2");
      break;
  }
  check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

std::string Model::output_digest() const {
  Digest digest;
  for (std::size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(outputs_, i);
    std::size_t bytes = aclGetDataBufferSizeV2(buffer);
    // For shapes that were set at run time the executor notes the real shape of the output here.
    if (aclTensorDesc* desc = shapes_set_ ? aclmdlGetDatasetTensorDesc(outputs_, i) : nullptr) {
      bytes = std::min(bytes, aclGetTensorDescSize(desc));
    }
    std::vector<unsigned char> content(bytes);
    check(aclrtMemcpy(content.data(), bytes, aclGetDataBufferAddr(buffer), bytes,
                      ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy from the device");
    digest.add(content.data(), content.size());
  }
  return digest.text();
}

}  // namespace samples
