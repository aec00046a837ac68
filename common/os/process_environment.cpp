#include "common/os/process_environment.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "common/os/descriptor.h"

namespace mstune::os {

std::optional<std::string> environment_of(pid_t process) {
  constexpr std::size_t kSizeMax = std::size_t{4} << 20U;
  const std::string path = "/proc/" + std::to_string(process) + "/environ";
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    return std::nullopt;
  }
  std::string content;
  std::array<char, 16384> buffer{};
  while (content.size() < kSizeMax) {
    const Chunk chunk = read_chunk(file.value(), buffer);
    if (chunk.bytes.empty()) {
      break;
    }
    content.append(chunk.bytes);
  }
  return content;
}

std::optional<uid_t> owner_of(pid_t process) {
  struct stat info {};
  const std::string path = "/proc/" + std::to_string(process);
  return ::stat(path.c_str(), &info) == 0 ? std::optional(info.st_uid) : std::nullopt;
}

}  // namespace mstune::os
