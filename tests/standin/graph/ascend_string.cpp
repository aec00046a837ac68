#include <graph/ascend_string.h>

namespace ge {
namespace {

const std::string& text_of(const std::shared_ptr<std::string>& name) {
  static const std::string empty;
  return name == nullptr ? empty : *name;
}

}  // namespace

AscendString::AscendString(const char_t* const name)
    : name_(name == nullptr ? nullptr : std::make_shared<std::string>(name)) {}

AscendString::AscendString(const char_t* const name, size_t length)
    : name_(name == nullptr ? nullptr : std::make_shared<std::string>(name, length)) {}

const char_t* AscendString::GetString() const {
  return text_of(name_).c_str();
}
size_t AscendString::GetLength() const {
  return text_of(name_).size();
}
size_t AscendString::Hash() const {
  return std::hash<std::string>()(text_of(name_));
}
size_t AscendString::Find(const AscendString& text) const {
  return text_of(name_).find(text_of(text.name_));
}

bool AscendString::operator<(const AscendString& other) const {
  return text_of(name_) < text_of(other.name_);
}
bool AscendString::operator>(const AscendString& other) const {
  return other < *this;
}
bool AscendString::operator<=(const AscendString& other) const {
  return !(other < *this);
}
bool AscendString::operator>=(const AscendString& other) const {
  return !(*this < other);
}
bool AscendString::operator==(const AscendString& other) const {
  return text_of(name_) == text_of(other.name_);
}
bool AscendString::operator!=(const AscendString& other) const {
  return !(*this == other);
}

}  // namespace ge
