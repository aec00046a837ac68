#include "common/os/recorder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "common/os/clock.h"
#include "common/os/pass_library.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecord = "[GE_MS_TUNE][STEP]";
constexpr std::array<const char*, 3> kLibraries{"libdavinci_executor.so", "libge_executor.so",
                                                "libhybrid_executor.so"};
// On a disk that may be anywhere.
constexpr Duration kLookMax = std::chrono::seconds(3);
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

}  // namespace

RecorderLook::RecorderLook(const std::vector<std::string>& directories) {
  for (const char* library : kLibraries) {
    const auto directory =
        std::find_if(directories.begin(), directories.end(), [&](const auto& at) {
          std::error_code failure;
          return fs::is_regular_file(fs::path(at) / library, failure);
        });
    if (directory != directories.end()) {
      libraries_.push_back(fs::path(*directory) / library);
    }
  }
  open_next();
}

void RecorderLook::open_next() {
  file_ = {};
  piece_.clear();
  if (next_ < libraries_.size()) {
    file_.open(libraries_[next_], std::ios::binary);
  }
}

bool RecorderLook::step() {
  if (found_ || next_ >= libraries_.size()) {
    return true;
  }
  const std::size_t kept = piece_.size();
  piece_.resize(kept + kPieceBytes);
  file_.read(piece_.data() + kept, static_cast<std::streamsize>(kPieceBytes));
  piece_.resize(kept + static_cast<std::size_t>(file_.gcount()));
  found_ = piece_.find(kRecord) != std::string::npos;
  piece_.erase(0, piece_.size() - std::min(piece_.size(), kRecord.size() - 1));
  if (!found_ && !file_) {
    missed_ = missed_ || !file_.eof();
    ++next_;
    open_next();
  }
  return found_ || next_ >= libraries_.size();
}

std::string RecorderLook::result() const {
  if (found_) {
    return std::string(kRecorderPresent);
  }
  const bool looked_at_all = !libraries_.empty() && next_ >= libraries_.size() && !missed_;
  return looked_at_all ? std::string(kRecorderAbsent) : std::string();
}

std::vector<std::string> library_directories(const Variables& variables) {
  const fs::path home = value_of(variables, "ASCEND_HOME_PATH");
  if (home.empty()) {
    return {};
  }
  std::vector<std::string> search = split_path_list(value_of(variables, "LD_LIBRARY_PATH"));
  search.push_back((home / "lib64").string());
  return search;
}

std::string look_for_recorder(const std::vector<std::string>& directories, Duration limit) {
  const TimePoint deadline = after(steady_now(), limit);
  RecorderLook look(directories);
  while (steady_now() < deadline && !look.step()) {
  }
  return look.result();
}

std::string recorder_of(const Variables& variables) {
  return look_for_recorder(library_directories(variables), kLookMax);
}

}  // namespace mstune::os
