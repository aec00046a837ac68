#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/error.h"
#include "coordinator/analyze.h"
#include "coordinator/options.h"
#include "coordinator/tune.h"

namespace {

constexpr int kExitBadArgumentsOrEnvironment = 2;

std::vector<std::string> environment_strings(char** environment) {
  std::vector<std::string> strings;
  for (; *environment != nullptr; ++environment) {
    strings.emplace_back(*environment);
  }
  return strings;
}

}  // namespace

int main(int argc, char** argv, char** environment) {
  namespace coordinator = mstune::coordinator;
  try {
    const coordinator::Command command = coordinator::parse_command_line(argc, argv);
    if (const auto* printed = std::get_if<coordinator::Printed>(&command)) {
      std::cout << printed->text;
      return printed->status;
    }
    if (const auto* analyze = std::get_if<coordinator::AnalyzeOptions>(&command)) {
      return coordinator::analyze(*analyze, std::cout, std::cerr);
    }
    if (const auto* confirm = std::get_if<coordinator::ConfirmOptions>(&command)) {
      return coordinator::confirm(*confirm, environment_strings(environment), std::cout);
    }
    return coordinator::tune(std::get<coordinator::TuneOptions>(command),
                             environment_strings(environment), std::cout);
  } catch (const std::exception& error) {
    std::cout << std::flush;
    fmt::print(stderr, "mstune: {}\n", error.what());
    return kExitBadArgumentsOrEnvironment;
  }
}
