// The logs of one trial on disk → its records.
#pragma once

#include <filesystem>

#include "coordinator/record_log.h"

namespace mstune::coordinator {

// Of a trial's directory: steps.log alone where there is one (the live tail saw what rotation
// deleted), else stdout.log and every file below plog/, sorted by path. Throws an environment
// error that names the file that cannot be read.
RecordLog read_trial_records(const std::filesystem::path& trial_directory);

// Of a log file that somebody kept, of a directory with such files at any depth, or of a trial's
// directory with its steps.log. Errors as above.
RecordLog read_plain_records(const std::filesystem::path& path);

}  // namespace mstune::coordinator
