// The end of what a program or a build printed, where errors stand. Reads only, in bounded memory.
#pragma once

#include <filesystem>
#include <string>

namespace mstune::coordinator {

// Its last 16 KiB; empty where it cannot be read.
std::string output_end(const std::filesystem::path& log);

// The last lines of that, without a final line end.
std::string last_lines(const std::filesystem::path& log, std::size_t lines);

}  // namespace mstune::coordinator
