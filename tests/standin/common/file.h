// Whole files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace standin {

// Nothing when the file cannot be read or is none.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace standin
