// atc.bin: the command line of the stand-in's model compiler.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "tests/standin/atc/build.h"
#include "tests/standin/atc/workers.h"
#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/knobs.h"
#include "tests/standin/compiler/pass_loader.h"

namespace {

constexpr int kFailed = 255;  // 0xFFFFFFFF, as a process status holds it

int failed(const standin::GeError& error) {
  std::printf(
      "ATC run failed, Please check the detail log, Try 'atc --help' for more information\n");
  std::printf("%s\n", standin::error_block(error).c_str());
  return kFailed;
}

int run(const standin::AtcOptions& options) {
  if (options.help) {
    std::printf("usage: atc --model=<graph> --output=<prefix> --soc_version=<soc> [options]\n");
    return 0;
  }
  if (options.value("mode", "0") == "6") {
    standin::print_om(options);
    return 0;
  }
  if (options.value("mode", "0") != "0") {
    throw standin::GeError("E10006", "Value [" + options.value("mode") +
                                         "] for [--mode] is not supported by the stand-in.");
  }
  const standin::AtcKnobs knobs = standin::atc_knobs();
  standin::Workers workers(knobs.workers, knobs.worker_seconds);
  standin::build_om(options);
  return 0;
}

int checked_run(int count, char** values) {
  try {
    std::printf("ATC start working now, please wait for a moment.\n");
    std::fflush(stdout);
    const int status = run(standin::parse_options({values + 1, values + count}));
    std::printf("...\nATC run success, welcome to the next use.\n");
    return status;
  } catch (const standin::GeError& error) {
    return failed(error);
  } catch (const std::exception& error) {
    return failed(standin::GeError("E19999", std::string("Inner Error: ") + error.what()));
  }
}

}  // namespace

int main(int count, char** values) {
  if (count == 4 && std::strcmp(values[1], "--te-worker") == 0) {
    return standin::work_as_worker(std::atoi(values[2]), std::atoi(values[3]));
  }
  const int status = checked_run(count, values);
  standin::unload_passes();
  return status;
}
