// What stands behind the handles of acl_mdl.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <acl/acl_mdl.h>

#include "tests/standin/executor/loaded_model.h"

struct aclmdlDataset {
  struct Item {
    aclDataBuffer* buffer = nullptr;
    std::unique_ptr<aclTensorDesc> desc;
  };
  std::vector<Item> items;
  standin::Dims gear;  // of aclmdlSetInputDynamicDims
};

struct aclmdlDesc {
  struct Port {
    std::string name;
    int data_type = 0;
    standin::Dims dims;
    size_t size = 0;  // of the largest gear where there are gears; 0 when unknown
  };
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<standin::Dims> gears;
};

namespace standin {

// Null when there is no such model. The model lives until nobody runs it any more.
std::shared_ptr<LoadedModel> find_model(std::uint32_t id);

}  // namespace standin
