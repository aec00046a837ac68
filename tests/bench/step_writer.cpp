// A program under test for the benchmarks: writes a STEP line to a plog file at each step.
//
//   step_writer paced RATE COUNT     RATE lines a second, each stamped with the time of its writing
//   step_writer busy COUNT US        steps that compute for about US microseconds each; prints the
//                                    median of their real times as "median_ns N"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace {

std::int64_t wall_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int open_plog() {
  const char* root = std::getenv("ASCEND_PROCESS_LOG_PATH");
  const char* mode = std::getenv("GE_AUTO_MULTISTREAM_PARALLEL_MODE");
  if (root == nullptr || mode == nullptr) {
    std::exit(2);
  }
  std::string path = root;
  for (const char* part : {"/run", "/plog"}) {
    path += part;
    ::mkdir(path.c_str(), 0750);
  }
  path += fmt::format("/plog-{}_20260101000000000.log", ::getpid());
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

void write_step(int file, int step, std::int64_t start, std::int64_t end) {
  const std::string line = fmt::format(
      "[INFO] GE({},step_writer):2026-01-01-00:00:00.000.000 [step_recorder.cc:137]1 Record:"
      "[GE_MS_TUNE][STEP] api=NnExecute mode={} model_id=1 step={} start_us={} end_us={} "
      "cost_us={} sync_us=0 ret=0 sync_ret=0\n",
      ::getpid(), std::getenv("GE_AUTO_MULTISTREAM_PARALLEL_MODE"), step, start, end, end - start);
  if (::write(file, line.data(), line.size()) < 0) {
    std::exit(3);
  }
}

void run_paced(int file, int rate, int count) {
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < count; ++step) {
    std::this_thread::sleep_until(begin + std::chrono::microseconds(1000000LL * step / rate));
    const std::int64_t now = wall_us();
    write_step(file, step, now - 1, now);
  }
}

// Steps of the same work; the work of one is found by trying.
void run_busy(int file, int count, int step_us) {
  volatile std::uint64_t sink = 1;
  const auto work = [&](std::uint64_t rounds) {
    for (std::uint64_t i = 0; i < rounds; ++i) {
      sink = sink * 6364136223846793005U + 1442695040888963407U;
    }
  };
  const std::uint64_t rounds = static_cast<std::uint64_t>(step_us) * 400;
  std::vector<std::int64_t> times;
  std::int64_t wall = wall_us();
  for (int step = 0; step < count; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    work(rounds);
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    times.push_back(taken.count());
    const std::int64_t end = wall + taken.count() / 1000 + 1;
    write_step(file, step, wall, end);
    wall = end;
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  fmt::print("median_ns {}\n", times[static_cast<std::size_t>(count) / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  const int file = open_plog();
  if (std::string(argv[1]) == "paced") {
    run_paced(file, std::atoi(argv[2]), std::atoi(argv[3]));
  } else {
    run_busy(file, std::atoi(argv[2]), std::atoi(argv[3]));
  }
  return 0;
}
