// A trial's directory, filled with files of the store under the names that its program expects.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/os/descriptor.h"

namespace mstune::agent {

// Puts `file`, a name in `blobs`, into an existing directory under `name` (checked with
// check_layout_name), making directories (0700) on the way. A hard link, since GE looks for
// external weights beside the OM's real path; a copy (0444) where a link cannot be. Follows no
// symbolic link. Throws `store.cannot_lay_out`, also when the name is taken, and as writing does.
void place_file(const os::UniqueFd& blobs, const std::string& file,
                const std::filesystem::path& directory, std::string_view name);

}  // namespace mstune::agent
