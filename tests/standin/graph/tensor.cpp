#include <graph/tensor.h>

#include "tests/standin/common/graph_def.h"

namespace ge {

class ShapeImpl {
 public:
  std::vector<int64_t> dims;
};

class TensorDescImpl {
 public:
  Shape shape;
  Format format = FORMAT_ND;
  DataType type = DT_FLOAT;
};

class TensorImpl {
 public:
  TensorDesc desc;
  std::vector<uint8_t> data;
};

int GetSizeByDataType(DataType data_type) {
  const std::size_t bytes = standin::element_bytes(data_type);
  return bytes == 0 ? -1 : static_cast<int>(bytes);
}

Shape::Shape() : impl_(std::make_shared<ShapeImpl>()) {}
Shape::Shape(const std::vector<int64_t>& dims) : Shape() {
  impl_->dims = dims;
}
size_t Shape::GetDimNum() const {
  return impl_->dims.size();
}
int64_t Shape::GetDim(size_t idx) const {
  return idx < impl_->dims.size() ? impl_->dims[idx] : 0;
}
std::vector<int64_t> Shape::GetDims() const {
  return impl_->dims;
}
int64_t Shape::GetShapeSize() const {
  return standin::element_count(impl_->dims);
}

// A description is a value: a copy shares nothing with its origin. A moved-from one stays usable,
// because callers of the real library have come to rely on that.
TensorDesc::TensorDesc() : impl(std::make_shared<TensorDescImpl>()) {}
TensorDesc::TensorDesc(Shape shape, Format format, DataType dt) : TensorDesc() {
  *impl = {std::move(shape), format, dt};
}
TensorDesc::TensorDesc(const TensorDesc& desc)
    : impl(std::make_shared<TensorDescImpl>(*desc.impl)) {}
TensorDesc::TensorDesc(TensorDesc&& desc) : TensorDesc() {
  impl.swap(desc.impl);
}
TensorDesc& TensorDesc::operator=(const TensorDesc& desc) {
  if (this != &desc) {
    *impl = *desc.impl;
  }
  return *this;
}
TensorDesc& TensorDesc::operator=(TensorDesc&& desc) {
  impl.swap(desc.impl);
  return *this;
}
Shape TensorDesc::GetShape() const {
  return impl->shape;
}
void TensorDesc::SetShape(const Shape& shape) {
  impl->shape = shape;
}
Format TensorDesc::GetFormat() const {
  return impl->format;
}
void TensorDesc::SetFormat(Format format) {
  impl->format = format;
}
DataType TensorDesc::GetDataType() const {
  return impl->type;
}
void TensorDesc::SetDataType(DataType dt) {
  impl->type = dt;
}

Tensor::Tensor() : impl(std::make_shared<TensorImpl>()) {}
Tensor::Tensor(const TensorDesc& tensor_desc) : Tensor() {
  impl->desc = tensor_desc;
}
Tensor::Tensor(const TensorDesc& tensor_desc, const uint8_t* data, size_t size)
    : Tensor(tensor_desc) {
  SetData(data, size);
}
Tensor::Tensor(const TensorDesc& tensor_desc, const std::vector<uint8_t>& data)
    : Tensor(tensor_desc, data.data(), data.size()) {}
TensorDesc Tensor::GetTensorDesc() const {
  return impl->desc;
}
const uint8_t* Tensor::GetData() const {
  return impl->data.data();
}
size_t Tensor::GetSize() const {
  return impl->data.size();
}
graphStatus Tensor::SetData(const uint8_t* data, size_t size) {
  if (data == nullptr && size > 0) {
    return GRAPH_FAILED;
  }
  impl->data.assign(data, data + size);
  return GRAPH_SUCCESS;
}

}  // namespace ge
