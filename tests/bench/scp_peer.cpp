#include "tests/bench/scp_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "common/os/descriptor.h"
#include "common/os/signals.h"

namespace mstune::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kServer = "/usr/sbin/sshd";

os::Process start_process(std::vector<std::string> command) {
  os::SpawnRequest request;
  request.command = std::move(command);
  request.environment = {"PATH=/usr/bin:/bin"};
  request.dies_with_parent = true;
  return os::Process(request);
}

bool succeeds(std::vector<std::string> command) {
  os::Process process = start_process(std::move(command));
  os::wait_readable(process.exit_descriptor(), std::chrono::seconds(600));
  const auto exit = process.reap();
  return exit && exit->status == 0;
}

// A port that was free a moment ago: sshd takes no 0.
int free_port() {
  const os::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      ::bind(socket.value(), any, size) == 0 && ::getsockname(socket.value(), any, &size) == 0;
  return bound ? ntohs(address.sin_port) : 0;
}

void write_settings(const fs::path& directory, int port) {
  std::ofstream(directory / "sshd_config")
      << "Port " << port << "\nListenAddress 127.0.0.1\nHostKey " << (directory / "host").string()
      << "\nAuthorizedKeysFile " << (directory / "user.pub").string()
      << "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none"
         "\nSubsystem sftp internal-sftp\n";
}

}  // namespace

ScpPeer::ScpPeer(const fs::path& directory, int port)
    : directory_(directory),
      port_(port),
      server_(start_process({kServer, "-D", "-f", (directory / "sshd_config").string()})) {}

std::optional<ScpPeer> ScpPeer::start(const fs::path& directory) {
  const int port = free_port();
  if (!fs::exists(kServer) || port == 0) {
    return std::nullopt;
  }
  if (::geteuid() == 0) {
    fs::create_directories("/run/sshd");  // sshd of root insists on it
  }
  fs::create_directories(directory / "copied");
  for (const char* key : {"host", "user"}) {
    if (!succeeds(
            {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", (directory / key).string()})) {
      return std::nullopt;
    }
  }
  write_settings(directory, port);
  ScpPeer peer(directory, port);
  for (const auto start = Clock::now(); Clock::now() - start < std::chrono::seconds(10);) {
    if (peer.answers()) {
      return peer;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return std::nullopt;
}

std::vector<std::string> ScpPeer::client(const std::string& program) const {
  return {program,
          "-q",
          "-F",
          "none",
          "-i",
          (directory_ / "user").string(),
          program == "scp" ? "-P" : "-p",
          std::to_string(port_),
          "-o",
          "BatchMode=yes",
          "-o",
          "StrictHostKeyChecking=no",
          "-o",
          "UserKnownHostsFile=/dev/null"};
}

bool ScpPeer::answers() const {
  std::vector<std::string> command = client("ssh");
  command.insert(command.end(), {"127.0.0.1", "true"});
  return succeeds(std::move(command));
}

double ScpPeer::copy(const std::vector<fs::path>& files, const std::string& cipher) const {
  std::vector<std::string> command = client("scp");
  if (!cipher.empty()) {
    command.insert(command.end(), {"-c", cipher});
  }
  for (const fs::path& file : files) {
    command.push_back(file.string());
  }
  command.push_back("127.0.0.1:" + (directory_ / "copied").string());
  const auto start = Clock::now();
  const bool copied = succeeds(std::move(command));
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const fs::path& file : files) {
    fs::remove(directory_ / "copied" / file.filename());
  }
  return copied ? seconds : 0;
}

}  // namespace mstune::bench
