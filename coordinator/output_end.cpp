#include "coordinator/output_end.h"

#include <algorithm>
#include <fstream>

namespace mstune::coordinator {

std::string output_end(const std::filesystem::path& log) {
  constexpr std::streamoff kEndBytes = 16 * 1024;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : 0;
  if (size <= 0) {
    return {};
  }
  const std::streamoff length = std::min(size, kEndBytes);
  std::string text(static_cast<std::size_t>(length), '\0');
  file.seekg(size - length);
  file.read(text.data(), length);
  return file ? text : std::string();
}

}  // namespace mstune::coordinator
