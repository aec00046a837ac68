// What tells one boot, one session, one thing from another.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace mstune::os {

// Random lower-case hex digits from the kernel, two a byte. 16 bytes never meet again.
std::string random_hex_id(std::size_t bytes = 16);

// The kernel's id of this boot; empty where it tells none. Another one: no process of before lives.
std::string boot_id();

// The processor, as `uname -m` has it: "aarch64".
std::string architecture();

// Where the program that runs lies; empty where /proc does not tell.
std::filesystem::path program_directory();

// The name of this machine, for messages.
std::string host_name();

}  // namespace mstune::os
