#include "common/os/recorder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "common/os/clock.h"
#include "common/os/pass_library.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecord = "[GE_MS_TUNE][STEP]";
constexpr std::array<const char*, 3> kLibraries{"davinci_executor", "ge_executor",
                                                "hybrid_executor"};
// Libraries of some 100 MB, on a disk that may be anywhere.
constexpr Duration kLookMax = std::chrono::seconds(3);
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

// Nothing: it could not be read to its end by the deadline.
std::optional<bool> holds_record(const fs::path& path, TimePoint deadline) {
  std::ifstream file(path, std::ios::binary);
  std::string piece;
  std::size_t kept = 0;  // of the piece before, for a text that lies across both
  while (file) {
    if (steady_now() >= deadline) {
      return std::nullopt;
    }
    piece.resize(kept + kPieceBytes);
    file.read(piece.data() + kept, static_cast<std::streamsize>(kPieceBytes));
    piece.resize(kept + static_cast<std::size_t>(file.gcount()));
    if (piece.find(kRecord) != std::string::npos) {
      return true;
    }
    kept = std::min(piece.size(), kRecord.size() - 1);
    piece.erase(0, piece.size() - kept);
  }
  return file.eof() ? std::optional(false) : std::nullopt;
}

}  // namespace

std::string look_for_recorder(const std::vector<std::string>& directories, Duration limit) {
  const TimePoint deadline = after(steady_now(), limit);
  bool looked = false;
  bool missed = false;
  for (const char* library : kLibraries) {
    const std::string name = std::string("lib") + library + ".so";
    // Only the first one is loaded.
    const auto directory =
        std::find_if(directories.begin(), directories.end(), [&](const auto& at) {
          std::error_code failure;
          return fs::is_regular_file(fs::path(at) / name, failure);
        });
    if (directory == directories.end()) {
      continue;
    }
    const std::optional<bool> holds = holds_record(fs::path(*directory) / name, deadline);
    if (holds.value_or(false)) {
      return std::string(kRecorderPresent);
    }
    looked = true;
    missed = missed || !holds;
  }
  return looked && !missed ? std::string(kRecorderAbsent) : std::string();
}

std::string recorder_of(const Variables& variables) {
  const fs::path home = value_of(variables, "ASCEND_HOME_PATH");
  if (home.empty()) {
    return {};
  }
  std::vector<std::string> search = split_path_list(value_of(variables, "LD_LIBRARY_PATH"));
  search.push_back((home / "lib64").string());
  return look_for_recorder(search, kLookMax);
}

}  // namespace mstune::os
