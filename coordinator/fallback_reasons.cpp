#include "coordinator/fallback_reasons.h"

#include <algorithm>

#include "common/error.h"
#include "common/os/file_pieces.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

void scan(const fs::path& file, GeFallbackScanner& scanner) {
  os::read_in_pieces(file, [&](std::string_view bytes) { scanner.feed(bytes); });
}

}  // namespace

std::vector<GeFallback> read_fallbacks(const fs::path& path) try {
  GeFallbackScanner scanner;
  if (fs::is_directory(path)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) {
        scan(entry.path(), scanner);
      }
    }
  } else {
    scan(path, scanner);
  }
  return scanner.found();
} catch (const fs::filesystem_error& failure) {
  throw environment_error("records.cannot_read", "cannot read the logs: {}", failure.what());
}

void add_fallbacks(const std::vector<GeFallback>& found, TrialOutcome& outcome) {
  for (const GeFallback fallback : found) {
    const bool is_known =
        std::any_of(outcome.reasons.begin(), outcome.reasons.end(),
                    [&](const Reason& reason) { return reason.code == code_of(fallback); });
    if (!is_known) {
      outcome.reasons.push_back({code_of(fallback), sentence_of(fallback)});
    }
  }
}

}  // namespace mstune::coordinator
