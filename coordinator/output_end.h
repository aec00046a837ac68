// The end of what a program or a build printed, where errors stand. Reads only, in bounded memory.
#pragma once

#include <filesystem>
#include <string>

namespace mstune::coordinator {

// Its last 16 KiB; empty where it cannot be read.
std::string output_end(const std::filesystem::path& log);

}  // namespace mstune::coordinator
