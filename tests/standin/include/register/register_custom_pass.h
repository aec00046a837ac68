// How a shared library registers a custom pass with the graph engine.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "external/ge_common/ge_api_error_codes.h"
#include "graph/graph.h"

namespace ge {

class CustomPassContextImpl;
class CustomPassContext {
 public:
  CustomPassContext();
  virtual ~CustomPassContext();

  void SetErrorMessage(const AscendString& error_message);
  AscendString GetErrorMessage() const;
  void SetPassName(const AscendString& pass_name);
  AscendString GetPassName() const;
  graphStatus GetOptionValue(const AscendString& option_key, AscendString& option_value) const;

 private:
  friend class CustomPassAccess;
  std::unique_ptr<CustomPassContextImpl> impl_;
};

class StreamPassContext;

using CustomPassFunc = std::function<Status(ge::GraphPtr&, CustomPassContext&)>;
using CustomAllocateStreamPassFunc =
    std::function<Status(const ConstGraphPtr&, StreamPassContext&)>;

enum class CustomPassStage : uint32_t {
  kBeforeInferShape = 0,
  kAfterInferShape = 1,
  kAfterAssignLogicStream = 2,
  kAfterBuiltinFusionPass = 3,
  kAfterOriginGraphOptimize = 4,
  kCompatibleInherited = 5,
  kInvalid
};

class PassRegistrationDataImpl;
class PassRegistrationData {
 public:
  PassRegistrationData() = default;
  ~PassRegistrationData() = default;
  PassRegistrationData(std::string pass_name);

  PassRegistrationData& CustomPassFn(const CustomPassFunc& custom_pass_fn);
  PassRegistrationData& CustomAllocateStreamPassFn(
      const CustomAllocateStreamPassFunc& allocate_stream_pass_fn);
  PassRegistrationData& Stage(const CustomPassStage stage);

  std::string GetPassName() const;
  CustomPassFunc GetCustomPassFn() const;
  CustomPassStage GetStage() const;

 private:
  std::shared_ptr<PassRegistrationDataImpl> impl_;
};

class PassReceiver {
 public:
  PassReceiver(PassRegistrationData& reg_data);
  ~PassReceiver() = default;
};

}  // namespace ge

#define REGISTER_CUSTOM_PASS(name) REGISTER_CUSTOM_PASS_UNIQ_HELPER(__COUNTER__, (name))
#define REGISTER_CUSTOM_PASS_UNIQ_HELPER(ctr, name) REGISTER_CUSTOM_PASS_UNIQ(ctr, name)
#define REGISTER_CUSTOM_PASS_UNIQ(ctr, name)                             \
  static ::ge::PassReceiver register_pass##ctr __attribute__((unused)) = \
      ::ge::PassRegistrationData(name)
