#include <mutex>
#include <utility>

#include <register/register_custom_pass.h>

#include "tests/standin/register/custom_pass_impl.h"

namespace ge {

class PassRegistrationDataImpl {
 public:
  std::string name;
  CustomPassFunc function;
  CustomAllocateStreamPassFunc stream_function;
  CustomPassStage stage = CustomPassStage::kBeforeInferShape;
};

namespace {

std::mutex registry_mutex;

std::vector<PassRegistrationData>& registry() {
  static std::vector<PassRegistrationData> passes;
  return passes;
}

}  // namespace

CustomPassContext::CustomPassContext() : impl_(std::make_unique<CustomPassContextImpl>()) {}
CustomPassContext::~CustomPassContext() = default;
void CustomPassContext::SetErrorMessage(const AscendString& error_message) {
  impl_->error_message = error_message;
}
AscendString CustomPassContext::GetErrorMessage() const {
  return impl_->error_message;
}
void CustomPassContext::SetPassName(const AscendString& pass_name) {
  impl_->pass_name = pass_name;
}
AscendString CustomPassContext::GetPassName() const {
  return impl_->pass_name;
}
graphStatus CustomPassContext::GetOptionValue(const AscendString& option_key,
                                              AscendString& option_value) const {
  const auto found = impl_->options.find(option_key.GetString());
  if (found == impl_->options.end()) {
    return GRAPH_FAILED;
  }
  option_value = AscendString(found->second.c_str());
  return GRAPH_SUCCESS;
}

PassRegistrationData::PassRegistrationData(std::string pass_name)
    : impl_(std::make_shared<PassRegistrationDataImpl>()) {
  impl_->name = std::move(pass_name);
}
PassRegistrationData& PassRegistrationData::CustomPassFn(const CustomPassFunc& custom_pass_fn) {
  impl_->function = custom_pass_fn;
  return *this;
}
PassRegistrationData& PassRegistrationData::CustomAllocateStreamPassFn(
    const CustomAllocateStreamPassFunc& allocate_stream_pass_fn) {
  impl_->stream_function = allocate_stream_pass_fn;
  return *this;
}
PassRegistrationData& PassRegistrationData::Stage(const CustomPassStage stage) {
  impl_->stage = stage;
  return *this;
}
std::string PassRegistrationData::GetPassName() const {
  return impl_->name;
}
CustomPassFunc PassRegistrationData::GetCustomPassFn() const {
  return impl_->function;
}
CustomPassStage PassRegistrationData::GetStage() const {
  return impl_->stage;
}

PassReceiver::PassReceiver(PassRegistrationData& reg_data) {
  const std::lock_guard lock(registry_mutex);
  registry().push_back(reg_data);
}

}  // namespace ge

namespace standin {

std::vector<ge::PassRegistrationData> registered_passes() {
  const std::lock_guard lock(ge::registry_mutex);
  return ge::registry();
}

void forget_passes(std::size_t kept) {
  const std::lock_guard lock(ge::registry_mutex);
  ge::registry().erase(ge::registry().begin() + static_cast<std::ptrdiff_t>(kept),
                       ge::registry().end());
}

}  // namespace standin
