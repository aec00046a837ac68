// What it costs to bring files to an agent: speed beside a bare ZeroMQ pipe that hashes and
// encrypts as much and beside scp (where there is an sshd), bytes for siblings and for a second
// run, and the memory of both programs.
//
//   bench_upload [MiB of the new file] [MiB of a sibling] [MiB of the big file]    1024 256 4096
//
// The agent is the real program, the sender is the coordinator's own connection. Everything is in
// the page cache and on loopback. Ratios are of this run. Give the machine rest. A size of 0 leaves
// its part out.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/digest.h"
#include "common/key.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/key_file.h"
#include "common/os/process.h"
#include "coordinator/connection.h"
#include "tests/bench/bench.h"
#include "tests/bench/scp_peer.h"

namespace {

namespace fs = std::filesystem;
namespace os = mstune::os;
namespace coordinator = mstune::coordinator;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kPiece = mstune::protocol::kPieceBytesMax;
constexpr std::size_t kWindow = 16;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "bench_upload: {}\n", what);
  std::exit(1);
}

void write_random(const fs::path& path, std::size_t mib, std::uint64_t seed) {
  std::ofstream file(path, std::ios::binary);
  for (std::size_t at = 0; at < mib; at += 16) {
    const std::string bytes = mstune::bench::random_bytes(16 * kMiB, seed + at);
    file.write(bytes.data(),
               static_cast<std::streamsize>(std::min<std::size_t>(16, mib - at) * kMiB));
  }
}

// A copy with another 1 %: a head of another length, and the rest in 20 places.
void write_sibling(const fs::path& path, const fs::path& original, std::uint64_t seed) {
  std::string bytes = os::read_file(original);
  const std::size_t part = bytes.size() / 100 / 20;
  for (std::size_t i = 1; i < 20; ++i) {
    bytes.replace(i * (bytes.size() / 20), part, mstune::bench::random_bytes(part, seed + i));
  }
  bytes.replace(0, part, mstune::bench::random_bytes(part + 1000 * seed % 4096, seed));
  std::ofstream(path, std::ios::binary) << bytes;
}

// KiB of a line of /proc/PID/status: "VmRSS", "VmHWM".
long memory_kib(pid_t process, std::string_view field) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) {
      return std::strtol(line.c_str() + field.size() + 1, nullptr, 10);
    }
  }
  return 0;
}

// Forgets the peak so far.
void reset_peak(pid_t process) {
  std::ofstream(fmt::format("/proc/{}/clear_refs", process)) << "5";
}

// ---- keys ----

// One pair for whoever listens and one for whoever connects, as `mstune keygen` makes them.
struct Keys {
  mstune::KeyPair agent = os::make_key_pair("box");
  mstune::KeyPair client = os::make_key_pair("bench");

  [[nodiscard]] os::ConnectSecurity security() const { return {agent.public_key, client}; }
  void write(const fs::path& directory) const {
    os::write_key_pair(directory / "agent.key", agent);
    os::write_key_pair(directory / "authorized" / "bench.key", client);
  }
};

// "tcp://127.0.0.1:PORT" from what a program prints when it listens.
std::string endpoint_in(os::Process& process) {
  std::string said;
  std::array<char, 4096> buffer{};
  const auto start = Clock::now();
  while (seconds_since(start) < 20) {
    os::wait_readable(process.output(), std::chrono::milliseconds(100));
    said += os::read_chunk(process.output(), buffer).bytes;
    const auto begin = said.find("tcp://");
    const auto end = said.find('\n', begin == std::string::npos ? 0 : begin);
    if (begin != std::string::npos && end != std::string::npos) {
      return said.substr(begin, end - begin);
    }
  }
  fail("a program does not listen; it said: " + said);
}

os::SpawnRequest request(std::vector<std::string> command, const fs::path& directory) {
  os::SpawnRequest request;
  request.command = std::move(command);
  request.environment = {"PATH=/usr/bin:/bin", "HOME=" + directory.string()};
  request.dies_with_parent = true;
  return request;
}

// ---- the bare pipe ----

// Receives, hashes, writes and answers each piece: this program once more, as the other end.
int receive_pieces(const fs::path& directory, std::size_t size) {
  os::ZapHandler handler;
  os::Socket socket = os::Socket::listen(
      "tcp://127.0.0.1:*",
      os::ListenSecurity{os::read_secret_key(directory / "agent.key").secret_key});
  fmt::print("{}\n", socket.endpoint());
  std::fflush(stdout);
  const int file = ::open((directory / "received").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::size_t done = 0;
  for (;;) {
    os::PollSet polled;
    polled.add(socket);
    polled.add(handler);
    polled.wait(std::chrono::seconds(60));
    handler.serve([](const os::Caller& /*caller*/) { return std::optional<std::string>("bench"); });
    while (auto frames = socket.receive()) {
      if (done == size) {
        return 0;  // the sender has the last answer, and says so
      }
      mstune::digest_of(frames->payload);
      if (::pwrite(file, frames->payload.data(), frames->payload.size(), static_cast<off_t>(done)) <
          0) {
        return 1;
      }
      done += frames->payload.size();
      socket.send({frames->peer, "taken", {}});
    }
  }
}

// MiB/s, file to file, SHA-256 at both ends, CURVE, the same pieces and window as an upload has.
double bare_pipe(const fs::path& from, const fs::path& directory, const Keys& keys) {
  const std::size_t size = fs::file_size(from);
  os::Process receiver(request({fs::read_symlink("/proc/self/exe").string(), "--receive",
                                directory.string(), std::to_string(size)},
                               directory));
  os::Socket socket = os::Socket::connect(endpoint_in(receiver), keys.security());
  const int file = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  const auto start = Clock::now();
  std::size_t sent = 0;
  std::size_t open = 0;
  std::string piece;
  while (sent < size || open > 0) {
    while (sent < size && open < kWindow) {
      piece.resize(std::min(kPiece, size - sent));
      if (::pread(file, piece.data(), piece.size(), static_cast<off_t>(sent)) < 0) {
        fail("cannot read");
      }
      mstune::digest_of(piece);
      while (!socket.send({{}, "piece", piece})) {
        os::PollSet().wait(std::chrono::milliseconds(1));  // until it is connected
      }
      sent += piece.size();
      ++open;
    }
    os::PollSet polled;
    polled.add(socket);
    polled.wait(std::chrono::seconds(60));
    while (socket.receive()) {
      --open;
    }
  }
  const double seconds = seconds_since(start);
  socket.send({{}, "done", {}});
  os::wait_readable(receiver.exit_descriptor(), std::chrono::seconds(20));
  ::close(file);
  return static_cast<double>(size) / kMiB / seconds;
}

// ---- uploads ----

class Agent {
 public:
  explicit Agent(const fs::path& directory)
      : process_(
            request({(fs::read_symlink("/proc/self/exe").parent_path() / "mstune-agent").string(),
                     "--listen", "tcp://127.0.0.1:*", "--work-dir", (directory / "agent").string(),
                     "--key", (directory.parent_path() / "agent.key").string(), "--authorized",
                     (directory.parent_path() / "authorized").string()},
                    directory)),
        endpoint_(endpoint_in(process_)) {}
  ~Agent() { ::kill(process_.id(), SIGTERM); }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] pid_t id() const { return process_.id(); }

 private:
  os::Process process_;
  std::string endpoint_;
};

struct Sent {
  double seconds = 0;  // reading and digesting included
  std::uint64_t bytes = 0;
  std::vector<double> answers_ms;  // of pings while it went on
};

// Asks again and again while the upload goes on: how long would a cancel take?
class Pings {
 public:
  // Before it is welcome nobody answers.
  void begin() { waiting_ = false; }
  void step(coordinator::Connection& connection, Clock::time_point now) {
    constexpr auto kPause = std::chrono::milliseconds(10);
    if (!waiting_ && now >= sent_at_ + kPause) {
      connection.send(mstune::protocol::Ping{++sequence_});
      sent_at_ = now;
      waiting_ = true;
    }
  }
  void take(const mstune::protocol::Report& report) {
    const auto* pong = std::get_if<mstune::protocol::Pong>(&report);
    if (pong != nullptr && pong->sequence == sequence_) {
      waiting_ = false;
      answers_ms_.push_back(1000 * seconds_since(sent_at_));
    }
  }
  std::vector<double> take_answers() { return std::move(answers_ms_); }

 private:
  std::uint64_t sequence_ = std::uint64_t{1} << 40U;  // far from the link's own
  Clock::time_point sent_at_;
  bool waiting_ = true;
  std::vector<double> answers_ms_;
};

// Sends them one after the other, as a campaign does.
Sent upload(const Agent& agent, const Keys& keys, const std::vector<fs::path>& files) {
  const auto start = Clock::now();
  os::Worker worker;
  os::Worker digesting;
  coordinator::BundleReader reader(digesting);
  coordinator::Connection connection(agent.endpoint(), keys.security(), os::random_hex_id(), {},
                                     worker, start);
  Pings pings;
  std::size_t arrived = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    reader.read({{"om", files[i]}}, [&connection, i](const auto& result) {
      connection.upload(i, std::get<0>(result).front().source, Clock::now());
    });
  }
  while (arrived < files.size()) {
    os::PollSet polled;
    connection.watch(polled);
    polled.add(worker.descriptor());
    polled.add(digesting.descriptor());
    polled.wait(std::max(connection.deadline() - Clock::now(), mstune::Duration::zero()));
    worker.drain();
    digesting.drain();
    pings.step(connection, Clock::now());
    for (const auto& event : connection.step(Clock::now())) {
      if (std::holds_alternative<coordinator::LinkReady>(event)) {
        pings.begin();
      } else if (const auto* report = std::get_if<coordinator::ReportArrived>(&event)) {
        pings.take(report->report);
      }
      arrived += std::holds_alternative<coordinator::FileUploaded>(event) ? 1U : 0U;
      if (const auto* failed = std::get_if<coordinator::FileNotUploaded>(&event)) {
        fail(failed->why.text);
      }
    }
  }
  connection.send(mstune::protocol::Goodbye{});
  return {seconds_since(start), connection.bytes_sent(), pings.take_answers()};
}

bool sooner(const Sent& left, const Sent& right) {
  return left.seconds < right.seconds;
}

using Scp = std::optional<mstune::bench::ScpPeer>;

void new_file(const fs::path& directory, const Keys& keys, const Scp& scp, std::size_t mib) {
  const fs::path file = directory / "new";
  write_random(file, mib, 1);
  bare_pipe(file, directory, keys);  // once for the page cache
  double bare = 0;
  double ours = 0;
  double copied = 0;
  double copied_fast = 0;
  std::vector<double> answers;
  for (int run = 0; run < 3; ++run) {
    bare = std::max(bare, bare_pipe(file, directory, keys));
    fs::create_directory(directory / "first");
    {
      const Agent agent(directory / "first");
      const Sent sent = upload(agent, keys, {file});
      ours = std::max(ours, static_cast<double>(mib) / sent.seconds);
      answers.insert(answers.end(), sent.answers_ms.begin(), sent.answers_ms.end());
    }
    fs::remove_all(directory / "first");
    if (scp) {
      copied = std::max(copied, static_cast<double>(mib) / scp->copy({file}, ""));
      copied_fast = std::max(
          copied_fast, static_cast<double>(mib) / scp->copy({file}, "aes128-gcm@openssh.com"));
    }
  }
  fmt::print(
      "{} MiB, never seen before: {:.0f} MiB/s, a bare pipe {:.0f} MiB/s: {:.2f} of it   "
      "(wanted: 0.85)\n",
      mib, ours, bare, ours / bare);
  if (scp) {
    fmt::print("  scp {:.0f} MiB/s: {:.2f} of it   (wanted: 1); with aes128-gcm {:.0f} MiB/s\n",
               copied, ours / copied, copied_fast);
  }
  std::sort(answers.begin(), answers.end());
  if (!answers.empty()) {
    fmt::print(
        "  a message was answered meanwhile within {:.1f} ms (median), {:.1f} (99 %), {:.1f} "
        "(the longest of {})   (wanted: 50)\n",
        answers[answers.size() / 2], answers[answers.size() * 99 / 100], answers.back(),
        answers.size());
  }
  fs::remove(file);
  fs::remove(directory / "received");
}

// The best of three, each on a quiet disk, for both.
void siblings(const fs::path& directory, const Keys& keys, const Scp& scp, std::size_t mib) {
  std::vector<fs::path> files{directory / "sibling0"};
  write_random(files.front(), mib, 77);
  for (std::uint64_t i = 1; i < 7; ++i) {
    files.push_back(directory / fmt::format("sibling{}", i));
    write_sibling(files.back(), files.front(), 1000 * i);
  }
  const auto one = static_cast<double>(mib * kMiB);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Sent first{kNone, 0, {}};
  Sent again{kNone, 0, {}};
  double piped = kNone;
  double copied = kNone;
  for (int run = 0; run < 3; ++run) {
    fs::create_directory(directory / "matrix");
    {
      const Agent agent(directory / "matrix");
      ::sync();
      first = std::min(first, upload(agent, keys, files), sooner);
      again = std::min(again, upload(agent, keys, files), sooner);
    }
    fs::remove_all(directory / "matrix");
    ::sync();
    piped =
        std::min(piped, 7 * static_cast<double>(mib) / bare_pipe(files.front(), directory, keys));
    if (scp) {
      ::sync();
      copied = std::min(copied, scp->copy(files, ""));
    }
  }
  fmt::print("7 siblings of {} MiB: {:.2f} s, {:.3f} of the bytes of one   (wanted: below 1.25)\n",
             mib, first.seconds, static_cast<double>(first.bytes) / one);
  fmt::print("  a bare pipe would send all seven in {:.1f} s: {:.1f} times as long\n", piped,
             piped / first.seconds);
  if (scp) {
    fmt::print("  scp sends all seven in {:.1f} s: {:.1f} times as long   (wanted: 5)\n", copied,
               copied / first.seconds);
  }
  fmt::print("  the same again: {:.1f} s, {:.4f} of the bytes of one   (wanted: below 0.01)\n",
             again.seconds, static_cast<double>(again.bytes) / one);
}

void big_file(const fs::path& directory, const Keys& keys, std::size_t mib) {
  const fs::path file = directory / "big";
  write_random(file, mib, 5);
  fs::create_directory(directory / "large");
  {
    const Agent agent(directory / "large");
    const long agent_idle = memory_kib(agent.id(), "VmRSS");
    const long own_idle = memory_kib(::getpid(), "VmRSS");
    reset_peak(::getpid());
    const Sent sent = upload(agent, keys, {file});
    fmt::print(
        "{} MiB: {:.0f} MiB/s; above idle the agent took {} MiB, the sender {} MiB   "
        "(wanted: below 64)\n",
        mib, static_cast<double>(mib) / sent.seconds,
        (memory_kib(agent.id(), "VmHWM") - agent_idle) / 1024,
        (memory_kib(::getpid(), "VmHWM") - own_idle) / 1024);
  }
}

std::size_t argument(int argc, char** argv, int place, std::size_t missing) {
  return argc > place ? std::strtoul(argv[place], nullptr, 10) : missing;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--receive") {
    return receive_pieces(argv[2], std::strtoul(argv[3], nullptr, 10));
  }
  const fs::path directory = os::make_unique_directory("/tmp", "mstune-bench-");
  const Keys keys;
  keys.write(directory);
  {
    const Scp scp = mstune::bench::ScpPeer::start(directory / "scp");
    if (!scp) {
      fmt::print("no sshd can be started here: nothing is compared with scp\n");
    }
    if (const std::size_t mib = argument(argc, argv, 1, 1024); mib > 0) {
      new_file(directory, keys, scp, mib);
    }
    if (const std::size_t mib = argument(argc, argv, 2, 256); mib > 0) {
      siblings(directory, keys, scp, mib);
    }
  }
  if (const std::size_t mib = argument(argc, argv, 3, 4096); mib > 0) {
    big_file(directory, keys, mib);
  }
  os::remove_tree(directory);
  return 0;
}
