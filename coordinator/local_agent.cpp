#include "coordinator/local_agent.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/identity.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

// It ends first what another one has left that was killed.
constexpr Duration kStartMax = std::chrono::seconds(60);
constexpr Duration kEndMax = std::chrono::seconds(30);
// A plog path below it must fit into 246 bytes and a socket's into 107.
constexpr std::size_t kBasePathMax = 60;

std::string value_of(const std::vector<std::string>& environment, std::string_view variable) {
  for (const std::string& entry : environment) {
    if (entry.size() > variable.size() && entry.starts_with(variable) &&
        entry[variable.size()] == '=') {
      return entry.substr(variable.size() + 1);
    }
  }
  return {};
}

os::SpawnRequest spawn_request(const std::vector<std::string>& environment,
                               const fs::path& directory, Duration reconnect_grace) {
  os::SpawnRequest request;
  const double grace_seconds = std::chrono::duration<double>(reconnect_grace).count();
  request.command = {agent_program(),     "--ends-with-parent",
                     "--listen",          "ipc://" + (directory / "agent.sock").string(),
                     "--work-dir",        directory.string(),
                     "--reconnect-grace", fmt::format("{}", grace_seconds)};
  request.environment = environment;
  return request;
}

// Short: the path of a socket below it is.
std::string directory_name(std::string_view name) {
  constexpr std::size_t kNameMax = 10;
  return "mstune-" + std::string(name.substr(0, kNameMax));
}

fs::path made(fs::path directory) {
  os::make_private_directory(directory);
  return directory;
}

std::string output_of(const os::Process& process) {
  std::array<char, 4096> buffer{};
  return std::string(os::read_chunk(process.output(), buffer).bytes);
}

}  // namespace

std::string agent_program() {
  std::error_code failure;
  const fs::path beside = os::program_directory() / "mstune-agent";
  return fs::exists(beside, failure) ? beside.string() : "mstune-agent";
}

fs::path local_work_parent(const std::vector<std::string>& environment) {
  const std::string wanted = value_of(environment, "TMPDIR");
  const bool usable = wanted.starts_with('/') && wanted.size() <= kBasePathMax;
  return usable ? wanted : "/tmp";
}

LocalAgent::LocalAgent(const std::vector<std::string>& environment, Duration reconnect_grace,
                       std::string_view name)
    : directory_(made(local_work_parent(environment) / directory_name(name))),
      request_(spawn_request(environment, directory_, reconnect_grace)),
      process_(request_) {
  const auto deadline = std::chrono::steady_clock::now() + kStartMax;
  // It says one line when it listens.
  os::wait_readable(process_.output(), deadline - std::chrono::steady_clock::now());
  const std::string said = output_of(process_);
  if (said.find("listening at") == std::string::npos) {
    os::remove_tree(directory_);
    throw environment_error("local_agent.not_started",
                            "the agent on this machine did not start; it said: {}",
                            said.empty() ? "nothing" : said);
  }
}

LocalAgent::~LocalAgent() {
  ::kill(process_.id(), SIGTERM);
  if (!os::wait_readable(process_.exit_descriptor(), kEndMax)) {
    process_.signal_group(SIGKILL);
  }
  try {
    os::remove_tree(directory_);
  } catch (const Error&) {
    // Below /tmp; nothing more can be done about it here.
  }
}

Message LocalAgent::last_words() {
  std::string said = output_of(process_);
  while (said.ends_with('\n')) {
    said.pop_back();
  }
  const auto exit = process_.reap();
  return message(
      "local_agent.last_words", "{}; it said: {}",
      exit ? os::exit_text(exit->status) : message("local_agent.ended", "ended"),
      said.empty() ? message("word.nothing", "nothing") : message("local_agent.said", "{}", said));
}

void LocalAgent::start_again() {
  os::make_private_directory(directory_);
  process_ = os::Process(request_);
}

std::string LocalAgent::endpoint() const {
  return "ipc://" + (directory_ / "agent.sock").string();
}

}  // namespace mstune::coordinator
