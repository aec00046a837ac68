// A model on the device with its buffers: load, set shapes, execute, read outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <acl/acl.h>
#include <acl/acl_base.h>
#include <acl/acl_mdl.h>
#include <acl/acl_rt.h>

#include "samples/infer/options.h"

namespace samples {

// Throws std::runtime_error that names the call, its code and what CANN says about it.
void check(aclError result, const std::string& call);

// The device of this thread and one stream, from aclInit to aclFinalize.
class Device {
 public:
  explicit Device(int id);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] aclrtStream stream() const { return stream_; }

 private:
  int id_;
  aclrtStream stream_ = nullptr;
};

class Model {
 public:
  // Inputs are filled with what follows from their position: every run has the same.
  Model(const std::string& om, const std::vector<std::int64_t>& dynamic_dims);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // One step; its outputs are there when it returns.
  void execute(Api api, aclrtStream stream);

  // The digest of all outputs of the last step.
  [[nodiscard]] std::string output_digest() const;

 private:
  void add_buffer(aclmdlDataset* dataset, std::size_t bytes);
  void add_inputs(const std::vector<std::int64_t>& dims);
  void add_outputs();
  void set_gear(std::size_t index, const std::vector<std::int64_t>& dims);
  void set_shapes(const std::vector<std::int64_t>& dims);
  static void release(aclmdlDataset* dataset);

  std::uint32_t id_ = 0;
  aclmdlDesc* desc_ = nullptr;
  aclmdlDataset* inputs_ = nullptr;
  aclmdlDataset* outputs_ = nullptr;
  bool shapes_set_ = false;
};

}  // namespace samples
