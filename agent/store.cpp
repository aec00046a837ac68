#include "agent/store.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agent/blob_io.h"
#include "agent/layout.h"
#include "agent/partial_file.h"
#include "agent/store_index.h"
#include "agent/store_scan.h"
#include "common/error.h"
#include "common/layout_name.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

enum class Soundness { missing, damaged, sound };

// Wide enough for kChunksMax entries.
constexpr std::size_t kManifestBytesMax = std::size_t{64} << 20U;

}  // namespace

class Store::State {
 public:
  State(std::filesystem::path directory, const StoreOptions& chosen)
      : options(chosen), directories(open_store(std::move(directory))) {
    last_use_ = scan_store(directories, index);
  }

  Soundness check(const Digest& identity);
  std::vector<bool> open(std::shared_ptr<const Manifest> manifest);
  void complete(const Digest& identity);
  void close(const Digest& identity);
  std::uint64_t purge();
  void forget(const Digest& identity);
  void drop_if_forgotten(const Digest& identity);
  void touch(const Digest& identity);
  std::optional<Manifest> read_manifest(const os::UniqueFd& directory, const Digest& identity);
  PartialFile& receiving(const Digest& identity);

  StoreOptions options;
  StoreDirectories directories;
  StoreIndex index;

 private:
  std::int64_t next_use();
  void drop(const Digest& identity);
  void make_room(const Digest& identity, std::uint64_t size, std::uint64_t to_write);
  void copy_from_others(PartialFile& file);
  std::unique_ptr<PartialFile> open_partial(std::shared_ptr<const Manifest> manifest);

  std::map<Digest, std::unique_ptr<PartialFile>> receiving_;
  std::set<Digest> forgotten_;
  // What broken-off uploads hold, so that a reconnect need not read them again.
  std::map<Digest, std::vector<bool>> known_sound_;
  std::int64_t last_use_ = 0;
};

// Two uses never tie, however coarse the clock is.
std::int64_t Store::State::next_use() {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  last_use_ = std::max(last_use_ + 1, now);
  return last_use_;
}

void Store::State::touch(const Digest& identity) {
  forgotten_.erase(identity);
  Entry* const entry = index.find(identity);
  entry->last_use = next_use();
  set_time(entry->kind == Kind::blob ? directories.blobs : directories.partial,
           manifest_name(identity), entry->last_use);
}

void Store::State::drop(const Digest& identity) {
  const Entry* const entry = index.find(identity);
  if (entry != nullptr) {
    remove_pair(entry->kind == Kind::blob ? directories.blobs : directories.partial, identity);
    known_sound_.erase(identity);
    index.drop(identity);
  }
}

std::optional<Manifest> Store::State::read_manifest(const os::UniqueFd& directory,
                                                    const Digest& identity) {
  try {
    Manifest manifest =
        decode_manifest(blob_io::read_small(directory, manifest_name(identity), kManifestBytesMax));
    if (manifest.identity == identity) {
      return manifest;
    }
  } catch (const Error&) {
    // A list that was cut off by a crash is as good as none.
  }
  return std::nullopt;
}

// Anything that wrote to a blob since it was checked has changed its time.
Soundness Store::State::check(const Digest& identity) {
  const Entry* const entry = index.find(identity);
  if (entry == nullptr || entry->kind != Kind::blob) {
    return Soundness::missing;
  }
  const os::UniqueFd file = blob_io::open_in(directories.blobs, hex(identity), O_RDONLY);
  if (file.valid() && is_sealed(file.value(), entry->size)) {
    return Soundness::sound;
  }
  const std::optional<Manifest> manifest = read_manifest(directories.blobs, identity);
  if (file.valid() && manifest) {
    // First the seal, so that a write during the check breaks it again.
    seal(file.value());
    const std::vector<bool> sound = blob_io::sound_chunks(file.value(), *manifest);
    if (std::find(sound.begin(), sound.end(), false) == sound.end() &&
        is_sealed(file.value(), manifest->size)) {
      return Soundness::sound;
    }
  }
  drop(identity);
  return Soundness::damaged;
}

// Refuses before anything is dropped when the room cannot be made.
void Store::State::make_room(const Digest& identity, std::uint64_t size, std::uint64_t to_write) {
  const Entry* const known = index.find(identity);
  const std::uint64_t others = index.bytes() - (known == nullptr ? 0 : known->size);
  const std::uint64_t wanted = others + size;
  const std::uint64_t beyond_limit =
      wanted > options.limit_bytes ? wanted - options.limit_bytes : 0;
  const std::uint64_t free = os::free_space(directories.path);
  const std::uint64_t free_wanted = to_write + options.free_bytes_min;
  const std::uint64_t beyond_disk = free_wanted > free ? free_wanted - free : 0;
  if (!index.to_free(beyond_limit, identity)) {
    throw environment_error(
        "store.full",
        "the agent's store cannot take {}: its limit is {} and campaigns need {} "
        "of it; raise --store-limit",
        size_text(size), size_text(options.limit_bytes), size_text(index.pinned_bytes()));
  }
  const auto victims = index.to_free(std::max(beyond_limit, beyond_disk), identity);
  if (!victims) {
    throw environment_error(
        "store.no_room",
        "the disk of the agent's store {} has {} free, and the upload needs {} beside the {} that "
        "are left to others: free some space, or run mstune agents --purge",
        directories.path.string(), size_text(free), size_text(to_write),
        size_text(options.free_bytes_min));
  }
  for (const Digest& victim : *victims) {
    drop(victim);
  }
}

void Store::State::copy_from_others(PartialFile& file) {
  for (const auto& [identity, entry] : std::map(index.entries())) {
    if (file.whole()) {
      return;
    }
    if (entry.kind != Kind::blob) {
      continue;
    }
    const std::optional<Manifest> manifest = read_manifest(directories.blobs, identity);
    if (!manifest || !file.can_use(*manifest) || check(identity) != Soundness::sound) {
      continue;
    }
    const os::UniqueFd blob = blob_io::open_in(directories.blobs, hex(identity), O_RDONLY);
    if (blob.valid()) {
      file.copy_from(blob.value(), *manifest);
      if (!is_sealed(blob.value(), manifest->size)) {
        file.check_again();
      }
    }
  }
}

std::unique_ptr<PartialFile> Store::State::open_partial(std::shared_ptr<const Manifest> manifest) {
  const Digest identity = manifest->identity;
  std::optional<std::vector<bool>> sound;
  if (const auto known = known_sound_.find(identity); known != known_sound_.end()) {
    sound = std::move(known->second);
    known_sound_.erase(known);
  }
  index.put(identity, {Kind::partial, manifest->size, next_use(), false});
  blob_io::write_small(directories.partial, manifest_name(identity), encode(*manifest));
  auto file = std::make_unique<PartialFile>(directories.partial, hex(identity), std::move(manifest),
                                            std::move(sound));
  index.find(identity)->open = true;
  return file;
}

std::vector<bool> Store::State::open(std::shared_ptr<const Manifest> manifest) {
  const Digest identity = manifest->identity;
  close(identity);
  if (const Entry* const entry = index.find(identity);
      entry != nullptr && entry->kind == Kind::blob) {
    drop(identity);
  }
  // A small share of the disk for its list is not worth a check of its own.
  make_room(identity, manifest->size, 0);
  std::unique_ptr<PartialFile> file = open_partial(std::move(manifest));
  const auto give_up = [&] {
    receiving_[identity] = std::move(file);
    close(identity);
  };
  try {
    make_room(identity, file->manifest().size, file->lacking_bytes());
    copy_from_others(*file);
  } catch (const Error&) {
    give_up();
    throw;
  }
  return (receiving_[identity] = std::move(file))->begin_receiving();
}

PartialFile& Store::State::receiving(const Digest& identity) {
  const auto found = receiving_.find(identity);
  if (found == receiving_.end()) {
    throw environment_error("store.not_open", "the agent is not receiving {}", hex(identity));
  }
  return *found->second;
}

void Store::State::complete(const Digest& identity) {
  const PartialFile& file = receiving(identity);
  if (!file.whole()) {
    throw environment_error("store.incomplete", "{} is not complete yet", hex(identity));
  }
  const std::uint64_t size = file.manifest().size;
  seal(file.descriptor());
  move_pair(directories.partial, directories.blobs, identity);
  receiving_.erase(identity);
  index.put(identity, {Kind::blob, size, 0, false});
  touch(identity);
}

void Store::State::close(const Digest& identity) {
  const auto found = receiving_.find(identity);
  if (found == receiving_.end()) {
    return;
  }
  known_sound_[identity] = found->second->sound();
  receiving_.erase(found);
  if (Entry* const entry = index.find(identity)) {
    entry->open = false;
    touch(identity);
  }
}

void Store::State::forget(const Digest& identity) {
  if (index.find(identity) != nullptr) {
    forgotten_.insert(identity);
    drop_if_forgotten(identity);
  }
}

void Store::State::drop_if_forgotten(const Digest& identity) {
  if (forgotten_.contains(identity) && index.may_be_dropped(identity)) {
    forgotten_.erase(identity);
    drop(identity);
  }
}

std::uint64_t Store::State::purge() {
  const std::uint64_t before = index.bytes();
  for (const Digest& identity : index.droppable()) {
    drop(identity);
  }
  return before - index.bytes();
}

Store::Store(std::filesystem::path directory, const StoreOptions& options)
    : state_(std::make_unique<State>(std::move(directory), options)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

bool Store::contains(const Digest& identity) {
  if (state_->check(identity) != Soundness::sound) {
    return false;
  }
  state_->touch(identity);
  return true;
}

std::shared_ptr<const Manifest> Store::partial_manifest(const Digest& identity) {
  const Entry* const entry = state_->index.find(identity);
  if (entry == nullptr || entry->kind != Kind::partial) {
    return nullptr;
  }
  auto manifest = state_->read_manifest(state_->directories.partial, identity);
  return manifest ? std::make_shared<const Manifest>(std::move(*manifest)) : nullptr;
}

std::vector<bool> Store::open(std::shared_ptr<const Manifest> manifest) {
  return state_->open(std::move(manifest));
}

void Store::write(const Digest& identity, std::size_t first, std::size_t count,
                  std::string_view payload) {
  state_->receiving(identity).write(first, count, payload);
}

void Store::complete(const Digest& identity) {
  state_->complete(identity);
}

void Store::close(const Digest& identity) {
  state_->close(identity);
}

void Store::pin(const Digest& identity) {
  state_->index.pin(identity);
}

void Store::unpin(const Digest& identity) {
  state_->index.unpin(identity);
  state_->drop_if_forgotten(identity);
}

void Store::forget(const Digest& identity) {
  state_->forget(identity);
}

void Store::lay_out(const std::filesystem::path& directory,
                    const std::vector<LayoutEntry>& entries) {
  for (const LayoutEntry& entry : entries) {
    check_layout_name(entry.name);
  }
  for (const LayoutEntry& entry : entries) {
    switch (state_->check(entry.identity)) {
      case Soundness::missing:
        throw environment_error("store.missing_blob",
                                "the agent does not have {} any more: send it again", entry.name);
      case Soundness::damaged:
        throw environment_error("store.damaged_blob",
                                "the agent's copy of {} was damaged and has been dropped: send it "
                                "again, and see what writes to files of a trial",
                                entry.name);
      case Soundness::sound:
        break;
    }
    state_->touch(entry.identity);
    place_file(state_->directories.blobs, hex(entry.identity), directory, entry.name);
  }
}

std::uint64_t Store::purge() {
  return state_->purge();
}

StoreUsage Store::usage() const {
  StoreUsage usage;
  usage.bytes = state_->index.bytes();
  usage.pinned_bytes = state_->index.pinned_bytes();
  usage.limit_bytes = state_->options.limit_bytes;
  usage.free_bytes = os::free_space(state_->directories.path);
  for (const auto& [identity, entry] : state_->index.entries()) {
    usage.blobs += entry.kind == Kind::blob ? 1 : 0;
  }
  return usage;
}

}  // namespace mstune::agent
