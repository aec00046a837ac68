// Key files on disk: made 0600 and never over an old one, read only when nobody else could have.
#pragma once

#include <filesystem>

#include "common/key.h"

namespace mstune::os {

// Writes `path` (0600) and beside it the public part with the extension .pub (0644); its directory
// is made 0700 if it is not there. Throws an environment error when one of them exists: a key that
// is written over is lost for good. Returns the path of the public part.
std::filesystem::path write_key_pair(const std::filesystem::path& path, const KeyPair& pair);

// Throws a usage error: no file, a link, a file that others can read or that is another user's, not
// a key.
KeyPair read_secret_key(const std::filesystem::path& path);

// A list of those who may: a file, or a directory whose *.pub files are read. Throws an environment
// error when it cannot be read, or others could write it. `signature` changes when it does.
AuthorizedList read_authorized_at(const std::filesystem::path& path);
std::string authorized_signature(const std::filesystem::path& path);

}  // namespace mstune::os
