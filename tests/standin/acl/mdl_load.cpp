#include <filesystem>
#include <map>
#include <mutex>

#include <acl/acl_mdl.h>

#include "tests/standin/acl/mdl_state.h"
#include "tests/standin/acl/rt_state.h"
#include "tests/standin/common/file.h"
#include "tests/standin/common/ge_error.h"
#include "tests/standin/device/device_table.h"

namespace standin {
namespace {

std::mutex models_mutex;

std::map<std::uint32_t, std::shared_ptr<LoadedModel>>& models() {
  static std::map<std::uint32_t, std::shared_ptr<LoadedModel>> loaded;
  return loaded;
}

aclError check_soc(const OmModel& model) {
  const std::string soc = standin_soc_version();
  if (model.soc_version == soc) {
    return ACL_SUCCESS;
  }
  return rt_fail(ACL_ERROR_RT_SOC_VERSION,
                 "EE1001: ModelCheckCompatibility failed, supported socVersion=" + soc +
                     ", but the model socVersion=" + model.soc_version);
}

aclError load(std::string_view bytes, const std::filesystem::path& directory, uint32_t* id) {
  if (rt_current_device() < 0) {
    return rt_fail(ACL_ERROR_RT_CONTEXT_NULL, "EE1001: The current context is null.");
  }
  try {
    OmModel om = read_om(bytes);
    if (const aclError failure = check_soc(om)) {
      return failure;
    }
    const auto kind = om.unknown_shape ? ExecutorKind::model_v2 : ExecutorKind::davinci_model;
    if (const aclError failure = rt_take_memory(weight_bytes(om.graph))) {
      return failure;
    }
    const auto model = std::make_shared<LoadedModel>(std::move(om), kind, rt_current_device(),
                                                     directory / "weight");
    const std::lock_guard lock(models_mutex);
    models()[model->id()] = model;
    *id = model->id();
    return ACL_SUCCESS;
  } catch (const GeError& error) {
    return rt_fail(ACL_ERROR_READ_MODEL_FAILURE, error.code() + ": " + error.what());
  }
}

}  // namespace

std::shared_ptr<LoadedModel> find_model(std::uint32_t id) {
  const std::lock_guard lock(models_mutex);
  const auto found = models().find(id);
  return found == models().end() ? nullptr : found->second;
}

}  // namespace standin

extern "C" {

aclError aclmdlQuerySize(const char* fileName, size_t* workSize, size_t* weightSize) {
  if (fileName == nullptr || workSize == nullptr || weightSize == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  const auto bytes = standin::read_file(fileName);
  if (!bytes.has_value()) {
    return ACL_ERROR_INVALID_FILE;
  }
  try {
    *weightSize = standin::weight_bytes(standin::read_om(*bytes).graph);
    *workSize = size_t{1} << 20U;
    return ACL_SUCCESS;
  } catch (const standin::GeError& error) {
    return standin::rt_fail(ACL_ERROR_READ_MODEL_FAILURE, error.what());
  }
}

aclError aclmdlLoadFromFile(const char* modelPath, uint32_t* modelId) {
  if (modelPath == nullptr || modelId == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  // External weights lie beside the file itself, not beside a link to it.
  std::error_code failure;
  const auto path = std::filesystem::canonical(modelPath, failure);
  const auto bytes = standin::read_file(path);
  if (failure || !bytes.has_value()) {
    return standin::rt_fail(ACL_ERROR_INVALID_FILE,
                            std::string("EE1001: Cannot open the model ") + modelPath + ".");
  }
  return standin::load(*bytes, path.parent_path(), modelId);
}

aclError aclmdlLoadFromMem(const void* model, size_t modelSize, uint32_t* modelId) {
  if (model == nullptr || modelId == nullptr) {
    return ACL_ERROR_INVALID_PARAM;
  }
  return standin::load({static_cast<const char*>(model), modelSize}, ".", modelId);
}

aclError aclmdlUnload(uint32_t modelId) {
  const auto model = standin::find_model(modelId);
  if (model == nullptr) {
    return ACL_ERROR_INVALID_MODEL_ID;
  }
  {
    const std::lock_guard lock(standin::models_mutex);
    standin::models().erase(modelId);
  }
  standin::rt_give_memory(model->weight_size());
  return ACL_SUCCESS;
}

}  // extern "C"
