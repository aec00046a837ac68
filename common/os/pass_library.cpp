#include "common/os/pass_library.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "common/error.h"
#include "common/os/file.h"
#include "common/shared_library.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLibraryBytesMax = 64ULL << 20U;

// A pipe or a device below vendors/ is nothing that GE could load, and would be waited for.
std::optional<std::string> read_if_possible(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) {
    return std::nullopt;
  }
  try {
    return read_file(path, kLibraryBytesMax);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool holds(const std::string& bytes, std::string_view text) {
  return bytes.find(text) != std::string::npos;
}

bool is_in(const std::string& directory, const std::string& name) {
  std::error_code failure;
  return fs::exists(fs::path(directory) / name, failure);
}

bool is_found(const std::string& name, const std::string& architecture,
              const std::vector<std::string>& search) {
  const std::string triplet = architecture + "-linux-gnu";
  const std::array<std::string, 7> loaders{
      "/lib64", "/usr/lib64", "/lib/" + triplet, "/usr/lib/" + triplet,
      "/lib",   "/usr/lib",   "/usr/local/lib"};
  const auto has = [&](const std::string& directory) { return is_in(directory, name); };
  return name.find('/') != std::string::npos || std::any_of(search.begin(), search.end(), has) ||
         std::any_of(loaders.begin(), loaders.end(), has);
}

}  // namespace

PassLibrary look_at_pass(const fs::path& path, const std::vector<std::string>& search) {
  PassLibrary pass;
  pass.path = path.string();
  pass.vendor = path.parent_path().parent_path().filename().string();
  pass.is_samples = path.filename() == kSamplePassFile;
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) {
    return pass;  // a directory, or a link to nothing: what GE cannot load either
  }
  const std::optional<std::string> bytes = read_if_possible(path);
  pass.readable = bytes.has_value();
  if (!bytes) {
    pass.is_ours = path.filename() == kPassFile;
    return pass;
  }
  pass.writes_mode = holds(*bytes, kModeAttribute) || holds(*bytes, kTuningAttribute);
  // One of an earlier release is known by its name alone.
  pass.is_ours = path.filename() == kPassFile;
  if (const auto library = read_shared_library(*bytes)) {
    pass.is_ours = pass.is_ours || (!pass.is_samples && is_tuning_pass(*library));
    pass.architecture = library->architecture;
    pass.string_abi = registration_abi(*library);
    for (const std::string& needed : library->needed) {
      if (!is_found(needed, library->architecture, search)) {
        pass.missing.push_back(needed);
      }
    }
  }
  return pass;
}

std::string toolkit_abi(const std::vector<std::string>& search) {
  for (const std::string& directory : search) {
    const auto bytes = read_if_possible(fs::path(directory) / "libregister.so");
    const auto library = bytes ? read_shared_library(*bytes) : std::nullopt;
    if (library) {
      return std::string(registration_abi(*library));
    }
  }
  return {};
}

std::vector<std::string> split_path_list(const std::string& list) {
  std::vector<std::string> paths;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) {
      paths.push_back(list.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return paths;
}

}  // namespace mstune::os
