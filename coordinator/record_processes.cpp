#include "coordinator/record_processes.h"

namespace mstune::coordinator {
namespace {

// The records of one file against the pid in its name.
struct FileCheck {
  std::uint64_t name_pid = 0;
  std::uint64_t first_line = UINT64_MAX;
  std::size_t first_record = 0;
  bool later_disagrees = false;
};

}  // namespace

std::optional<std::uint64_t> pid_of_file_name(std::string_view path) {
  constexpr std::string_view kPrefix = "plog-";
  // npos + 1 is 0: a path without a directory is its own name.
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  const ParsedInteger pid = parse_integer(name.substr(0, name.find('_')));
  if (pid.fault != IntegerFault::none || pid.value < 0 ||
      name.find('_') == std::string_view::npos) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(pid.value);
}

RecordProcesses::RecordProcesses(const RecordLog& log) : log_(log) {
  for (const RecordShape* shape : log.shapes()) {
    const auto pid =
        shape->header_pid ? shape->header_pid : pid_of_file_name(log.sources()[shape->source]);
    pids_.push_back(pid.value_or(0));
    known_.push_back(pid.has_value());
    all_known_ = all_known_ && pid.has_value();
  }
  correct_first_records();
}

void RecordProcesses::correct_first_records() {
  std::unordered_map<std::uint32_t, FileCheck> files;  // those where some header disagrees
  for (const RecordShape* shape : log_.shapes()) {
    const auto name_pid = pid_of_file_name(log_.sources()[shape->source]);
    if (name_pid && shape->header_pid && *shape->header_pid != *name_pid) {
      files[shape->source].name_pid = *name_pid;
    }
  }
  if (files.empty()) {
    return;
  }
  // Files are told apart by their lines, not by the order of their coming: a live tail may
  // deliver a line twice.
  for (std::size_t record = 0; record < log_.size(); ++record) {
    const auto file = files.find(log_.shape(record).source);
    if (file != files.end() && log_.line(record) < file->second.first_line) {
      file->second.first_line = log_.line(record);
      file->second.first_record = record;
    }
  }
  std::vector<std::size_t> firsts;
  for (std::size_t record = 0; record < log_.size(); ++record) {
    const RecordShape& shape = log_.shape(record);
    const auto file = files.find(shape.source);
    if (file == files.end() ||
        shape.header_pid.value_or(file->second.name_pid) == file->second.name_pid) {
      continue;
    }
    if (log_.line(record) == file->second.first_line) {
      firsts.push_back(record);
    } else {
      file->second.later_disagrees = true;
    }
  }
  for (const std::size_t record : firsts) {
    const FileCheck& file = files.at(log_.shape(record).source);
    if (!file.later_disagrees) {
      corrected_.emplace(record, file.name_pid);
    }
  }
}

}  // namespace mstune::coordinator
