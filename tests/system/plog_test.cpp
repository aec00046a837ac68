// plog as it really is: what comes back while others are measured, what the log library deletes,
// loses and never writes.
#include <sys/stat.h>

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

double seconds_of_change(const fs::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return static_cast<double>(info.st_mtim.tv_sec) + static_cast<double>(info.st_mtim.tv_nsec) / 1e9;
}

// Below a trial's directory at the coordinator, sorted.
std::vector<fs::path> plog_files(const fs::path& trial) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(trial / "plog")) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("plog: it comes back slowly while another trial runs there, and whole") {
  FaultPlace faults({"--devices", "0-1"});
  const std::string here = faults.directory().string();
  // The first trial writes 16 MiB and ends, all others wait until that is back.
  faults.place().write(
      "two.sh", "if mkdir " + here + "/first 2> /dev/null; then\n" + "  while ! [ -e " + here +
                    "/other ]; do sleep .02; done\n" +
                    "  mkdir -p \"$ASCEND_PROCESS_LOG_PATH/run/plog\"\n" +
                    "  seq 2222222 | head -c 16M > " + here + "/written\n" + "  cp " + here +
                    "/written $ASCEND_PROCESS_LOG_PATH/run/plog/plog-1_1.log\n" + "else\n  touch " +
                    here + "/other\n  while ! [ -e " + here + "/go ]; do sleep .02; done\nfi\n" +
                    "exec " + faults.steps_command(10, 1) + "\n");
  Running tune = faults.start("/bin/bash " + here + "/two.sh");
  fs::path trial;
  CHECK(eventually([&] {
    if (trial.empty() && faults.place().has_run_directory()) {
      for (const auto& entry : fs::directory_iterator(faults.place().run_directory())) {
        trial = fs::exists(entry.path() / "trial.json") ? entry.path() : trial;
      }
    }
    return !trial.empty() || tune.has_ended();
  }));
  CHECK_FALSE(tune.has_ended());
  faults.place().write("go", "");
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  // stdout.log is the first file that is fetched; 64 pieces come after it.
  CHECK(seconds_of_change(trial / "trial.json") - seconds_of_change(trial / "stdout.log") > 0.9);
  CHECK(read_text(trial / "plog/run/plog/plog-1_1.log") ==
        read_text(faults.directory() / "written"));
  CHECK(plog_files(trial).size() == 2);
  CHECK(faults.place().summary().at("trials").size() == 4);
  CHECK(faults.is_tidy());
}

}  // namespace
}  // namespace mstune::test
