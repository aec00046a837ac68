// The directories of the store: how they are opened and locked, what they hold after a restart,
// and the seal that shows that a blob is as it was when its digests were checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "agent/store_index.h"
#include "common/digest.h"
#include "common/os/descriptor.h"

namespace mstune::agent {

struct StoreDirectories {
  std::filesystem::path path;
  os::UniqueFd root;
  os::UniqueFd lock;  // held as long as it is open
  os::UniqueFd blobs;
  os::UniqueFd partial;
};

// Makes what is missing, private to this user. Throws `store.in_use`, `store.cannot_open`.
StoreDirectories open_store(std::filesystem::path path);

// Fills the index from what is there, removes what is of no use (a file without its manifest, or
// the other way round), and breaks every seal when the machine was started since. Returns the
// latest use.
std::int64_t scan_store(const StoreDirectories& directories, StoreIndex& index);

// The name of the manifest beside a file.
std::string manifest_name(const Digest& identity);

// Marks a file as checked: a fixed modification time, which any later write changes, and 0444.
// Throws `store.cannot_write`.
void seal(int descriptor);
bool is_sealed(int descriptor, std::uint64_t size);

// Gives a file a modification time, in nanoseconds since 1970. A failure is passed over.
void set_time(const os::UniqueFd& directory, const std::string& name, std::int64_t time_ns);

void remove_pair(const os::UniqueFd& directory, const Digest& identity);

// Moves a file with its manifest. Throws `store.cannot_write`.
void move_pair(const os::UniqueFd& from, const os::UniqueFd& to, const Digest& identity);

}  // namespace mstune::agent
