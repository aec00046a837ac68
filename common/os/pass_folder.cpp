#include "common/os/pass_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "common/error.h"
#include "common/os/failure.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/new_file.h"
#include "common/os/pass_library.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScanned = "custom_fusion_passes";
constexpr int kStrayDepthMax = 4;

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_link(const fs::path& path) {
  std::error_code failure;
  return fs::is_symlink(path, failure);
}

std::vector<fs::path> libraries_in(const fs::path& vendors, bool linked) {
  std::vector<fs::path> libraries;
  for (const fs::path& vendor : entries_of(vendors)) {
    if (is_link(vendor / kScanned) != linked) {
      continue;
    }
    for (const fs::path& entry : entries_of(vendor / kScanned)) {
      if (entry.extension() == ".so") {
        libraries.push_back(entry);
      }
    }
  }
  return libraries;
}

// Every library that GE would load, in its order. GE asks lstat whether it is a directory.
std::vector<fs::path> scanned_libraries(const fs::path& vendors) {
  return libraries_in(vendors, false);
}

bool is_ours_or_the_samples(const fs::path& path) {
  return path.filename() == kPassFile || path.filename() == kSamplePassFile;
}

// True while its holder lives: the kernel gives the lock back however a process ends.
bool is_held(const fs::path& lease) {
  const UniqueFd file(::open(lease.c_str(), O_RDONLY | O_CLOEXEC));
  return file.valid() && ::flock(file.value(), LOCK_SH | LOCK_NB) != 0;
}

Error cannot_change(const fs::path& path, const Message& why) {
  return environment_error("pass.cannot_change",
                           "cannot change {}: {}; run it as the owner of that CANN, or point "
                           "ASCEND_OPP_PATH to a copy of its opp/ that is yours",
                           path.string(), why);
}

void remove_file(const fs::path& path) {
  std::error_code failure;
  fs::remove(path, failure);
  if (failure) {
    throw cannot_change(path, reason(failure.value()));
  }
}

// Leaves the directory where others have put something into it.
void remove_if_empty(const fs::path& directory) {
  ::rmdir(directory.c_str());
}

}  // namespace

fs::path PassFolder::vendor() const {
  return vendors() / kPassVendor;
}

fs::path PassFolder::library() const {
  return vendor() / kScanned / kPassFile;
}

bool PassFolder::is_installed() const {
  std::error_code failure;
  return fs::exists(library(), failure);
}

std::vector<PassLibrary> PassFolder::list(const std::vector<std::string>& search) const {
  std::vector<PassLibrary> passes;
  for (const fs::path& path : scanned_libraries(vendors())) {
    passes.push_back(look_at_pass(path, search));
  }
  return passes;
}

std::vector<std::string> PassFolder::strays() const {
  const std::vector<fs::path> scanned = scanned_libraries(vendors());
  std::vector<std::string> strays;
  for (const fs::path& path : libraries_in(vendors(), true)) {
    if (is_ours_or_the_samples(path)) {
      strays.push_back(path.string());
    }
  }
  std::error_code failure;
  for (fs::recursive_directory_iterator at(vendors(), failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at.depth() >= kStrayDepthMax) {
      at.disable_recursion_pending();
    }
    if (is_ours_or_the_samples(at->path()) &&
        std::find(scanned.begin(), scanned.end(), at->path()) == scanned.end()) {
      strays.push_back(at->path().string());
    }
  }
  return strays;
}

std::vector<PassLease> PassFolder::leases() const {
  std::vector<PassLease> leases;
  for (const fs::path& path : entries_of(vendor() / "leases")) {
    leases.push_back({read_file(path, 4096), is_held(path)});
  }
  return leases;
}

// Whoever changes something here holds the directory itself: no file is left for that.
UniqueFd PassFolder::lock() const {
  std::error_code failure;
  fs::create_directories(vendors(), failure);
  if (failure) {
    throw cannot_change(vendors(), reason(failure.value()));
  }
  UniqueFd directory(::open(vendors().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid() || ::flock(directory.value(), LOCK_EX) != 0) {
    throw cannot_change(vendors(), reason(errno));
  }
  // Nobody else writes there now: what is half written was left by a crash.
  remove_drafts(library().parent_path());
  remove_drafts(vendor() / "leases");
  return directory;
}

// GE would pass over what is put there.
void PassFolder::refuse_link() const {
  if (is_link(library().parent_path())) {
    throw environment_error(
        "pass.linked_folder",
        "{} is a symbolic link, which GE passes over: remove the link (a link in the place of the "
        "vendor's directory, one level up, is followed)",
        library().parent_path().string());
  }
}

void PassFolder::put(std::string_view bytes) const {
  try {
    make_directory(library().parent_path());
    write_file_atomically(library(), bytes, 0755);
  } catch (const Error& error) {
    throw cannot_change(library(), error.message());
  }
}

void PassFolder::take_away() const {
  remove_file(library());
  for (const fs::path& lease : entries_of(vendor() / "leases")) {
    remove_file(lease);
  }
  remove_if_empty(vendor() / "leases");
  remove_if_empty(vendor() / kScanned);
  remove_if_empty(vendor());
}

void PassFolder::remove_dead_leases() const {
  for (const fs::path& lease : entries_of(vendor() / "leases")) {
    if (!is_held(lease)) {
      remove_file(lease);
    }
  }
}

bool PassFolder::is_held_by_others() const {
  const std::vector<PassLease> others = leases();
  return std::any_of(others.begin(), others.end(),
                     [](const PassLease& lease) { return lease.alive; });
}

// It would be changed under whoever tunes with it, and go with the last of them.
void PassFolder::refuse_held() const {
  for (const PassLease& lease : leases()) {
    if (lease.alive) {
      throw environment_error("pass.held", "{} tunes with the pass: let it end first", lease.owner);
    }
  }
}

void PassFolder::install(std::string_view bytes) const {
  refuse_link();
  const UniqueFd locked = lock();
  refuse_held();
  put(bytes);
  remove_dead_leases();
  remove_if_empty(vendor() / "leases");
}

bool PassFolder::remove() const {
  if (!is_installed() && leases().empty()) {
    return false;
  }
  const UniqueFd locked = lock();
  refuse_held();
  const bool was_there = is_installed();
  take_away();
  return was_there;
}

std::vector<std::string> PassFolder::remove_samples() const {
  std::vector<std::string> removed;
  for (const fs::path& path : scanned_libraries(vendors())) {
    if (path.filename() == kSamplePassFile) {
      remove_file(path);
      remove_if_empty(path.parent_path());
      remove_if_empty(path.parent_path().parent_path());
      removed.push_back(path.string());
    }
  }
  return removed;
}

HeldPass::HeldPass(PassFolder folder, std::string_view bytes, std::string_view owner)
    : folder_(std::move(folder)) {
  folder_.refuse_link();
  const UniqueFd locked = folder_.lock();
  const std::vector<PassLease> others = folder_.leases();
  if (folder_.is_installed() && others.empty()) {
    return;
  }
  took_over_ = std::any_of(others.begin(), others.end(),
                           [](const PassLease& lease) { return !lease.alive; });
  hold(owner);
  // What others tune with is not exchanged under them.
  if (folder_.is_installed() && std::any_of(others.begin(), others.end(),
                                            [](const PassLease& lease) { return lease.alive; })) {
    return;
  }
  try {
    folder_.put(bytes);
  } catch (const Error&) {
    lease_lock_.reset();
    folder_.remove_dead_leases();
    if (!folder_.is_installed()) {
      folder_.take_away();
    }
    throw;
  }
}

std::unique_ptr<HeldPass> HeldPass::take_over(PassFolder folder, std::string_view owner) {
  if (folder.leases().empty()) {
    return nullptr;
  }
  std::unique_ptr<HeldPass> held(new HeldPass(std::move(folder)));
  const UniqueFd locked = held->folder_.lock();
  if (!held->folder_.is_installed()) {
    held->folder_.remove_dead_leases();
    if (!held->folder_.is_held_by_others()) {
      held->folder_.take_away();
    }
    return nullptr;
  }
  held->took_over_ = true;
  held->hold(owner);
  return held;
}

// Under the folder's lock.
void HeldPass::hold(std::string_view owner) {
  const fs::path leases = folder_.vendor() / "leases";
  make_directory(leases);
  folder_.remove_dead_leases();
  // The lease comes first: a crash in between leaves a lease without a pass, never the other way.
  lease_ = leases / random_hex_id(8);
  write_file_atomically(lease_, owner);
  lease_lock_ = UniqueFd(::open(lease_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!lease_lock_.valid() || ::flock(lease_lock_.value(), LOCK_EX) != 0) {
    throw cannot_change(lease_, reason(errno));
  }
  managed_ = true;
}

HeldPass::~HeldPass() {
  static_cast<void>(release());
}

std::optional<Message> HeldPass::release() {
  if (!managed_) {
    return std::nullopt;
  }
  managed_ = false;
  try {
    const UniqueFd locked = folder_.lock();
    lease_lock_.reset();
    remove_file(lease_);
    if (!folder_.is_held_by_others()) {
      folder_.take_away();
    }
    return std::nullopt;
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace mstune::os
