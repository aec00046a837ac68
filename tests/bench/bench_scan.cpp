// How fast logs are searched for STEP records, against `grep -cF` on the same file in the same run.
//
// Prints the throughput of both in processor time and their ratio, for a file where records are
// rare and for one of records alone, and the memory that the records took. Arguments: a directory
// to write to (default: the temporary directory) and the size of a file in MB (default 300).
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "common/os/file_pieces.h"
#include "common/step_scan.h"
#include "coordinator/evaluation.h"

namespace {

namespace fs = std::filesystem;
using mstune::coordinator::RecordLog;
using mstune::coordinator::StepSet;

std::string record_line(std::uint64_t step) {
  const std::uint64_t start = 1788336615000000 + step * 5000;
  return fmt::format(
      "[INFO] GE(4242,infer):2026-09-02-14:30:15.123.456 [step_recorder.cc:137]4242 Record:"
      "[GE_MS_TUNE][STEP] api=NnExecute mode=default model_id=1 step={} start_us={} end_us={} "
      "cost_us=4000 sync_us=10 ret=0 sync_ret=0\n",
      step, start, start + 4000);
}

std::string noise_line(std::uint64_t number) {
  return fmt::format(
      "[DEBUG] RUNTIME(4242,infer):2026-09-02-14:30:15.{:03}.{:03} [task_{}.cc:{}] 4242 "
      "SubmitTask: handling node [Conv2D_{}] on stream {} of GE_MODEL, task {}\n",
      number % 1000, number * 7 % 1000, number % 97, number % 991, number % 9973, number % 8,
      number);
}

// One line in `rarity` is a record.
void write_log(const fs::path& path, std::uint64_t bytes, std::uint64_t rarity) {
  std::ofstream file(path, std::ios::binary);
  std::uint64_t written = 0;
  for (std::uint64_t line = 0; written < bytes; ++line) {
    const std::string text = line % rarity == 0 ? record_line(line / rarity) : noise_line(line);
    file << text;
    written += text.size();
  }
}

// Processor time of this process and of the children that it has waited for: others may share the
// machine.
double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
  return seconds;
}

template <typename Work>
double best_seconds(const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 7; ++run) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

RecordLog read_log(const fs::path& path) {
  RecordLog log;
  mstune::StepScanner scanner;
  const auto add = [&log](std::uint64_t line, std::string_view text) {
    log.add("plog-4242_1.log", line, text);
  };
  mstune::os::read_in_pieces(path, [&](std::string_view bytes) { scanner.feed(bytes, add); });
  scanner.finish(add);
  return log;
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

int measure(const fs::path& path, std::uint64_t bytes, std::uint64_t rarity) {
  write_log(path, bytes, rarity);
  const double size_mb = static_cast<double>(fs::file_size(path)) / 1e6;
  // Through a pipe: grep stops at the first match when it writes to /dev/null itself.
  const std::string command =
      fmt::format("LC_ALL=C grep -cF '[GE_MS_TUNE][STEP]' '{}' | cat > /dev/null", path.string());
  bool grep_ran = true;
  const double grep = best_seconds([&] { grep_ran = std::system(command.c_str()) == 0; });
  if (!grep_ran) {
    fmt::print("grep failed on {}\n", path.string());
    return 1;
  }
  const double scan = best_seconds([&] { read_log(path); });
  const double memory_before = peak_memory_mb();
  std::size_t records = 0;
  const double all = best_seconds([&] {
    const RecordLog log = read_log(path);
    const StepSet steps(log);
    mstune::coordinator::TrialOutcome outcome;
    outcome.exit_code = 0;
    records = evaluate(steps, "default", outcome, {}).step_count;
  });
  fmt::print(
      "1 line in {:<3} {} records, {:.0f} MB: grep {:.0f} MB/s, scan and parse {:.0f} MB/s = "
      "{:.2f} of grep, with evaluation {:.0f} MB/s = {:.2f} of grep\n",
      rarity, records, size_mb, size_mb / grep, size_mb / scan, grep / scan, size_mb / all,
      grep / all);
  fmt::print(
      "              peak memory {:.1f} MB, {:.1f} MB before evaluation; {:.1f} bytes a "
      "record in all\n",
      peak_memory_mb(), memory_before,
      peak_memory_mb() * 1024 * 1024 / static_cast<double>(records));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path directory = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
  const std::uint64_t bytes = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 300) * 1'000'000;
  const fs::path path = directory / fmt::format("mstune-bench-{}.log", ::getpid());
  int status = 0;
  for (const std::uint64_t rarity : {1000U, 50U, 1U}) {
    status |= measure(path, bytes, rarity);
  }
  fs::remove(path);
  return status;
}
