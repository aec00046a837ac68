#include <unistd.h>

#include <cstdio>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "agent/errands.h"
#include "agent/options.h"
#include "agent/server.h"
#include "common/error.h"
#include "common/language.h"
#include "common/os/service_manager.h"
#include "common/os/standard_streams.h"

namespace {

constexpr int kExitBadEnvironment = 2;

std::vector<std::string> environment_strings(char** environment) {
  std::vector<std::string> strings;
  for (; *environment != nullptr; ++environment) {
    strings.emplace_back(*environment);
  }
  return strings;
}

// Returns the status; throws where the text did not get out.
int print(const std::string& text, int status) {
  fmt::print("{}", text);
  if (const auto failure = mstune::os::standard_output_failure()) {
    throw mstune::Error(mstune::ErrorKind::environment, *failure);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv, char** environment) {
  namespace agent = mstune::agent;
  try {
    const std::vector<std::string> variables = environment_strings(environment);
    mstune::os::set_up_standard_streams(variables);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    mstune::speak(mstune::chosen_language(arguments, variables));
    const std::string notify_socket = mstune::os::take_notify_socket();
    const auto parsed = agent::parse_options(arguments, agent::parse_environment(variables));
    if (const auto* printed = std::get_if<agent::Printed>(&parsed)) {
      return print(printed->text, printed->status);
    }
    if (const auto* wanted = std::get_if<agent::KeyWanted>(&parsed)) {
      return print(agent::make_key(wanted->key, wanted->authorized), 0);
    }
    if (const auto* wanted = std::get_if<agent::ProbeWanted>(&parsed)) {
      agent::probe(wanted->endpoint, wanted->with_keys);
      return 0;
    }
    auto options = std::get<agent::ServerOptions>(parsed);
    options.notify_socket = notify_socket;
    agent::Server server(options);
    // English in every language: programs look for the address in it.
    fmt::print(stderr, "mstune-agent {}: listening at {}\n", ::getpid(), server.endpoint());
    if (const auto& gate = server.gate()) {
      fmt::print(stderr, "mstune-agent: server key {} ({}), {} authorized clients\n",
                 mstune::key_text(gate->pair().public_key), gate->pair().name, gate->clients());
    }
    for (const mstune::Message& warning : options.warnings) {
      fmt::print(stderr, "mstune-agent: WARNING: {}\n", mstune::said(warning));
    }
    mstune::os::tell_service_manager(
        notify_socket, fmt::format("READY=1\nSTATUS=listening at {}", server.endpoint()));
    server.run();
    return 0;
  } catch (const mstune::Error& error) {
    fmt::print(stderr, "mstune-agent: {}\n", mstune::said(error.message()));
    return kExitBadEnvironment;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mstune-agent: {}\n", error.what());
    return kExitBadEnvironment;
  }
}
