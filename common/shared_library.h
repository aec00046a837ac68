// What an ELF shared library says about who can load it. Pure: bytes in, values out.
//
// Reads 64-bit little-endian files, which is all that Ascend hosts have, through their section
// headers. It loads nothing and runs nothing, so it works for another machine's libraries too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mstune {

struct SharedLibrary {
  std::string architecture;          // as `uname -m` has it; "machine 243" for one without a name
  std::vector<std::string> needed;   // libraries that it names, as in "libregister.so"
  std::vector<std::string> symbols;  // dynamic ones, defined or wanted
  std::vector<std::string> exports;  // of these, those that it offers to others
};

// Nothing for what is no such library, cut short, or damaged; never reads outside of `bytes`.
std::optional<SharedLibrary> read_shared_library(std::string_view bytes);

// What the tuning pass exports, and nothing else does: by it, not by its name, it is known.
inline constexpr std::string_view kPassSymbol = "mstune_pass_version";
bool is_tuning_pass(const SharedLibrary& library);

// The std::string that a library passes to or offers in CANN's registration of custom passes.
inline constexpr std::string_view kOldString = "old";
inline constexpr std::string_view kNewString = "new";

// One of the two; empty when the library does not touch that registration.
std::string_view registration_abi(const SharedLibrary& library);

}  // namespace mstune
