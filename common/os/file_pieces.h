// Files of any size, read once from their beginning in bounded memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace mstune::os {

// Delivers the bytes in their order, in pieces of at most 64 KiB. Throws an environment error
// `file.cannot_open` or `file.cannot_read`.
void read_in_pieces(const std::filesystem::path& path,
                    const std::function<void(std::string_view)>& sink);

}  // namespace mstune::os
