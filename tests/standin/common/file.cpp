#include "tests/standin/common/file.h"

#include <fstream>

namespace standin {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string content(std::filesystem::file_size(path, failure), '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (failure || !file) {
    return std::nullopt;
  }
  return content;
}

}  // namespace standin
