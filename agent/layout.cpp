#include "agent/layout.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/blob_io.h"
#include "common/error.h"
#include "common/layout_name.h"

namespace mstune::agent {
namespace {

Error cannot_lay_out(const std::filesystem::path& directory, std::string_view name, int error) {
  return environment_error("store.cannot_lay_out", "the agent cannot put {} into {}: {}", name,
                           directory.string(), std::strerror(error));
}

// Whether a failed link says that these two places cannot be linked, rather than that the name is
// taken or the disk full.
bool needs_copy(int error) {
  return error == EXDEV || error == EPERM || error == EMLINK || error == ENOTSUP ||
         error == ENOSYS || error == EACCES;
}

void copy_file(const os::UniqueFd& blobs, const std::string& file, const os::UniqueFd& directory,
               const std::string& leaf) {
  const os::UniqueFd from = blob_io::open_in(blobs, file, O_RDONLY);
  struct stat status {};
  const os::UniqueFd to = blob_io::open_in(directory, leaf, O_WRONLY | O_CREAT | O_EXCL, 0444);
  if (!from.valid() || !to.valid() || fstat(from.value(), &status) != 0) {
    throw blob_io::write_error(leaf, errno);
  }
  if (!blob_io::copy_range({from.value(), 0}, {to.value(), 0},
                           static_cast<std::uint64_t>(status.st_size), leaf)) {
    throw blob_io::write_error(leaf, EIO);
  }
}

}  // namespace

void place_file(const os::UniqueFd& blobs, const std::string& file,
                const std::filesystem::path& directory, std::string_view name) {
  check_layout_name(name);
  constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
  os::UniqueFd at(open(directory.c_str(), kDirectory));
  std::string leaf(name);
  for (auto slash = leaf.find('/'); at.valid() && slash != std::string::npos;
       slash = leaf.find('/')) {
    const std::string part = leaf.substr(0, slash);
    leaf.erase(0, slash + 1);
    if (mkdirat(at.value(), part.c_str(), 0700) != 0 && errno != EEXIST) {
      throw cannot_lay_out(directory, name, errno);
    }
    at = blob_io::open_in(at, part, kDirectory);
  }
  if (!at.valid()) {
    throw cannot_lay_out(directory, name, errno);
  }
  if (linkat(blobs.value(), file.c_str(), at.value(), leaf.c_str(), 0) == 0) {
    return;
  }
  if (!needs_copy(errno)) {
    throw cannot_lay_out(directory, name, errno);
  }
  copy_file(blobs, file, at, leaf);
}

}  // namespace mstune::agent
