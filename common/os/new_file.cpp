#include "common/os/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "common/error.h"
#include "common/os/failure.h"
#include "common/os/file.h"
#include "common/os/identity.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDraftPrefix = ".tmp-";

// A name of its own and not one made from the target's, which may be as long as names can be.
fs::path draft_beside(const fs::path& target) {
  return target.parent_path() / (std::string(kDraftPrefix) + random_hex_id(8));
}

}  // namespace

NewFile::NewFile(fs::path target, unsigned mode)
    : target_(std::move(target)),
      draft_(draft_beside(target_)),
      file_(::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, mode)) {
  if (!file_.valid()) {
    throw cannot_write(target_, errno);
  }
}

NewFile::NewFile(NewFile&& other) noexcept
    : target_(std::move(other.target_)),
      draft_(std::exchange(other.draft_, {})),
      file_(std::move(other.file_)) {}

NewFile::~NewFile() {
  if (!draft_.empty()) {
    ::unlink(draft_.c_str());
  }
}

void NewFile::append(std::string_view bytes) {
  if (!write_fully(file_.value(), bytes)) {
    throw cannot_write(target_, errno);
  }
}

void NewFile::put_in_place() {
  if (::fsync(file_.value()) != 0 && errno != EINVAL) {
    throw cannot_write(target_, errno);
  }
  if (::rename(draft_.c_str(), target_.c_str()) != 0) {
    throw cannot_write(target_, errno);
  }
  draft_.clear();
  file_.reset();
  sync_directory(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
}

std::size_t remove_drafts(const fs::path& directory) {
  std::size_t removed = 0;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failure)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kDraftPrefix) && entry.is_regular_file(failure)) {
      removed += fs::remove(entry.path(), failure) ? 1U : 0U;
    }
  }
  return removed;
}

}  // namespace mstune::os
