// Shapes, tensor descriptions and tensors of the graph library.
#pragma once

#include <memory>
#include <vector>

#include "graph/error_codes.h"
#include "graph/types.h"

namespace ge {

class ShapeImpl;
class Shape {
 public:
  Shape();
  ~Shape() = default;
  explicit Shape(const std::vector<int64_t>& dims);

  size_t GetDimNum() const;
  int64_t GetDim(size_t idx) const;
  std::vector<int64_t> GetDims() const;
  int64_t GetShapeSize() const;  // elements; -1 when a dimension is unknown

 private:
  std::shared_ptr<ShapeImpl> impl_;
};

class TensorDescImpl;
class TensorDesc {
 public:
  TensorDesc();
  ~TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT);
  TensorDesc(const TensorDesc& desc);
  TensorDesc(TensorDesc&& desc);
  TensorDesc& operator=(const TensorDesc& desc);
  TensorDesc& operator=(TensorDesc&& desc);

  Shape GetShape() const;
  void SetShape(const Shape& shape);
  Format GetFormat() const;
  void SetFormat(Format format);
  DataType GetDataType() const;
  void SetDataType(DataType dt);

 private:
  std::shared_ptr<TensorDescImpl> impl;
};

class TensorImpl;
class Tensor {
 public:
  Tensor();
  ~Tensor() = default;
  explicit Tensor(const TensorDesc& tensor_desc);
  Tensor(const TensorDesc& tensor_desc, const uint8_t* data, size_t size);
  Tensor(const TensorDesc& tensor_desc, const std::vector<uint8_t>& data);

  TensorDesc GetTensorDesc() const;
  const uint8_t* GetData() const;
  size_t GetSize() const;
  graphStatus SetData(const uint8_t* data, size_t size);

 private:
  std::shared_ptr<TensorImpl> impl;
};

}  // namespace ge
