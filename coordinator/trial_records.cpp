#include "coordinator/trial_records.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/lines.h"
#include "common/os/file_pieces.h"
#include "common/step_scan.h"
#include "coordinator/steps_log.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

void scan_into(RecordLog& log, const fs::path& file, const std::string& source) {
  StepScanner scanner;
  const auto add = [&](std::uint64_t line, std::string_view text) { log.add(source, line, text); };
  os::read_in_pieces(file, [&](std::string_view bytes) { scanner.feed(bytes, add); });
  scanner.finish(add);
}

// Nearly every line of steps.log is a record with its origin before it, so all are looked at.
RecordLog read_steps_log(const fs::path& file) {
  constexpr std::size_t kLineMax = 1024 * 1024;
  RecordLog log;
  LineSplitter splitter(kLineMax);
  const auto add = [&log](std::uint64_t, std::string_view text) {
    if (const auto line = parse_steps_log_line(text)) {
      log.add(line->source, line->line, line->text);
    }
  };
  os::read_in_pieces(file, [&](std::string_view bytes) { splitter.feed(bytes, add); });
  splitter.finish(add);
  return log;
}

// Links to directories are not followed: they may lead in a circle.
std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void scan_directory_into(RecordLog& log, const fs::path& directory, const fs::path& base) {
  for (const fs::path& file : files_below(directory)) {
    scan_into(log, file, file.lexically_relative(base).string());
  }
}

Error cannot_read(const fs::filesystem_error& failure) {
  return environment_error("records.cannot_read", "cannot read the logs: {}", failure.what());
}

}  // namespace

RecordLog read_trial_records(const fs::path& trial_directory) try {
  const fs::path steps_log = trial_directory / "steps.log";
  if (fs::is_regular_file(steps_log)) {
    return read_steps_log(steps_log);
  }
  RecordLog log;
  if (fs::is_regular_file(trial_directory / "stdout.log")) {
    scan_into(log, trial_directory / "stdout.log", "stdout.log");
  }
  if (fs::is_directory(trial_directory / "plog")) {
    scan_directory_into(log, trial_directory / "plog", trial_directory);
  }
  return log;
} catch (const fs::filesystem_error& failure) {
  throw cannot_read(failure);
}

RecordLog read_plain_records(const fs::path& path) try {
  if (fs::is_regular_file(path / "steps.log")) {
    return read_trial_records(path);
  }
  RecordLog log;
  if (fs::is_directory(path)) {
    scan_directory_into(log, path, path);
  } else {
    scan_into(log, path, path.filename().string());
  }
  return log;
} catch (const fs::filesystem_error& failure) {
  throw cannot_read(failure);
}

}  // namespace mstune::coordinator
