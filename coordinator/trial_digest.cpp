#include "coordinator/trial_digest.h"

#include <regex>

#include "common/lines.h"
#include "common/os/file_pieces.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

// Bounds the depth to which std::regex recurses.
constexpr std::size_t kDigestLineMax = 4096;

void look_at(std::string_view line, const std::regex& pattern, std::optional<std::string>& found) {
  std::cmatch match;
  if (std::regex_search(line.data(), line.data() + line.size(), match, pattern)) {
    found = match[1].str();
  }
}

}  // namespace

std::optional<std::string> read_digest(const fs::path& trial_directory,
                                       const std::string& pattern) {
  std::optional<std::string> found;
  const fs::path file = trial_directory / "stdout.log";
  if (pattern.empty() || !fs::is_regular_file(file)) {
    return found;
  }
  const std::regex expression(pattern);
  LineSplitter splitter(kDigestLineMax);
  const auto look = [&](std::uint64_t, std::string_view line) { look_at(line, expression, found); };
  os::read_in_pieces(file, [&](std::string_view bytes) { splitter.feed(bytes, look); });
  splitter.finish(look);
  return found;
}

}  // namespace mstune::coordinator
