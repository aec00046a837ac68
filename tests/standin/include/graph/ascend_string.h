// A string that crosses the border of the graph library without showing which std::string is used.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "graph/types.h"

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  ~AscendString() = default;
  AscendString(const char_t* const name);
  AscendString(const char_t* const name, size_t length);
  AscendString(const AscendString&) = default;
  AscendString& operator=(const AscendString&) = default;

  const char_t* GetString() const;  // never null
  size_t GetLength() const;
  size_t Hash() const;
  size_t Find(const AscendString& text) const;

  bool operator<(const AscendString& other) const;
  bool operator>(const AscendString& other) const;
  bool operator<=(const AscendString& other) const;
  bool operator>=(const AscendString& other) const;
  bool operator==(const AscendString& other) const;
  bool operator!=(const AscendString& other) const;

 private:
  std::shared_ptr<std::string> name_;
};

}  // namespace ge

namespace std {
template <>
struct hash<ge::AscendString> {
  size_t operator()(const ge::AscendString& name) const { return name.Hash(); }
};
}  // namespace std
