// One library that GE would load as a custom pass, looked at without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/box_facts.h"

namespace mstune::os {

// `search` are the directories of LD_LIBRARY_PATH; the loader's own are looked through as well.
PassLibrary look_at_pass(const std::filesystem::path& path, const std::vector<std::string>& search);

// The std::string of the toolkit whose libraries are in `search`: that of its libregister.so.
std::string toolkit_abi(const std::vector<std::string>& search);

// "a:b" → a, b; empty entries are left out.
std::vector<std::string> split_path_list(const std::string& list);

}  // namespace mstune::os
