#include "common/os/process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/file.h"
#include "tests/unit/common_os/programs.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

struct Outcome {
  int status = 0;
  std::string output;
};

Outcome run(const SpawnRequest& request) {
  Process process(request);
  std::string output = read_output(process);
  return {wait_exit(process).status, std::move(output)};
}

Message refusal(const SpawnRequest& request) {
  try {
    const Process process(request);
  } catch (const Error& error) {
    return error.message();
  }
  return {"nothing thrown", "", {}};
}

void make_executable(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, content, 0755);
}

TEST_CASE("process: what was judged is what runs, whatever its link says by then") {
  const Scratch scratch;
  const auto link = scratch.path() / "program";
  std::filesystem::create_symlink("/bin/true", link);
  SpawnRequest request;
  request.command = {link.string()};
  request.executable = resolve_program(request);
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/bin/false", link);
  CHECK(run(request).status == 0);
  request.executable.clear();
  CHECK(run(request).status == 1);
}

TEST_CASE("process: status and output come back, both streams in one") {
  const Outcome outcome = run(script("echo out; echo err >&2; exit 7"));
  CHECK(outcome.status == 7);
  CHECK(outcome.output == "out\nerr\n");
}

TEST_CASE("process: a program may print much before anybody reads it") {
  Process process(script("head -c 900000 /dev/zero"));
  CHECK(wait_exit(process).status == 0);
  CHECK(read_output(process).size() == 900000);
}

TEST_CASE("process: a signal that ended it is a negative status") {
  CHECK(run(script("kill -KILL $$")).status == -SIGKILL);
  CHECK(exit_text(-SIGKILL).text == "killed by SIGKILL");
  CHECK(exit_text(3).text == "exit status 3");
}

TEST_CASE("process: arguments arrive as they are, no shell reads them") {
  SpawnRequest request = script("");
  request.command = {"/usr/bin/printf", "%s|", "a b", "$HOME", "*", "", "\"'"};
  CHECK(run(request).output == "a b|$HOME|*||\"'|");
}

TEST_CASE("process: it gets the given environment and nothing else") {
  SpawnRequest request = script("");
  request.command = {"/usr/bin/env"};
  request.environment = {"ONE=1", "TWO=a=b"};
  CHECK(run(request).output == "ONE=1\nTWO=a=b\n");
}

TEST_CASE("process: it starts in the given directory with an empty input") {
  const Scratch scratch;
  SpawnRequest request = script("pwd -P; cat; echo end");
  request.working_directory = scratch.path();
  CHECK(run(request).output == scratch.path().string() + "\nend\n");
}

TEST_CASE("process: it leads a session and a group of its own") {
  Process process(script("cat /proc/self/stat; read -r x < /proc/$$/stat; echo \"$x\"; exit 0"));
  const std::string output = read_output(process);
  const std::string id = std::to_string(process.id());
  CHECK(output.find(" " + id + " " + id + " ") != std::string::npos);
  CHECK(wait_exit(process).status == 0);
}

TEST_CASE("process: the output can be a descriptor of the caller's") {
  const Scratch scratch;
  SpawnRequest request = script("echo out; echo err >&2");
  const UniqueFd file(::open((scratch / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  request.output = file.value();
  Process process(request);
  CHECK(process.output() == -1);
  CHECK(wait_exit(process).status == 0);
  CHECK(read_file(scratch / "out") == "out\nerr\n");
}

TEST_CASE("process: no other descriptor is inherited") {
  const UniqueFd open_to_children(::open("/dev/null", O_RDONLY));
  REQUIRE(open_to_children.value() > 2);
  SpawnRequest request = script("");
  request.command = {"/bin/ls", "/proc/self/fd"};
  // 3 is the directory that ls itself reads.
  CHECK(run(request).output == "0\n1\n2\n3\n");
}

TEST_CASE("process: signals are unblocked and at their defaults") {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  CHECK(run(script("kill -TERM $$; exit 1")).status == -SIGTERM);
  CHECK(run(script("kill -PIPE $$; exit 1")).status == -SIGPIPE);
  ::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("process: a name is looked up in the given PATH, relative to the given directory") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "bin");
  make_executable(scratch / "bin/tool", "#!/bin/sh\necho found $1\n");
  SpawnRequest request = script("");
  request.command = {"tool", "x"};
  request.environment = {"PATH=/nonexistent:bin"};
  request.working_directory = scratch.path();
  CHECK(run(request).output == "found x\n");
  request.command = {"bin/tool", "y"};
  CHECK(run(request).output == "found y\n");
  request.command = {"sh", "-c", "exit 0"};
  CHECK(refusal(request).id == "process.not_in_path");
  CHECK(refusal(request).text.find("PATH=/nonexistent:bin") != std::string::npos);
}

TEST_CASE("process: a PATH entry that may not be run does not hide a later one that may") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "a");
  std::filesystem::create_directories(scratch / "b");
  write_file_atomically(scratch / "a/tool", "#!/bin/sh\n", 0644);
  SpawnRequest request = script("");
  request.command = {"tool"};
  request.environment = {"PATH=" + (scratch / "a").string() + ":" + (scratch / "b").string()};
  CHECK(refusal(request).id == "process.not_executable");
  make_executable(scratch / "b/tool", "#!/bin/sh\nexit 5\n");
  CHECK(run(request).status == 5);
}

TEST_CASE("process: what cannot be run is an error that names it and what to do") {
  const Scratch scratch;
  SpawnRequest request = script("");
  request.command = {(scratch / "none").string()};
  CHECK(refusal(request).id == "process.not_found");
  CHECK(refusal(request).text.find((scratch / "none").string()) != std::string::npos);

  make_executable(scratch / "orphan", "#!/no/such/interpreter\n");
  request.command = {(scratch / "orphan").string()};
  CHECK(refusal(request).id == "process.no_interpreter");

  make_executable(scratch / "text", "no first line\n");
  request.command = {(scratch / "text").string()};
  CHECK(refusal(request).id == "process.unknown_format");
  CHECK(refusal(request).text.find("#!/bin/sh") != std::string::npos);

  request = script("exit 0");
  request.working_directory = scratch / "gone";
  CHECK(refusal(request).id == "process.no_working_directory");
  CHECK(refusal(request).text.find((scratch / "gone").string()) != std::string::npos);

  request = script("");
  request.command = {"/bin/true", std::string(std::size_t{4} << 20U, 'x')};
  CHECK(refusal(request).id == "process.too_much");

  request.command = {};
  CHECK(refusal(request).id == "process.no_command");
}

TEST_CASE("process: a refused start leaves no child and no descriptor") {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = count();
  SpawnRequest request = script("");
  request.command = {"/no/such/program"};
  for (int attempt = 0; attempt < 20; ++attempt) {
    CHECK(refusal(request).id == "process.not_found");
  }
  CHECK(count() == before);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("process: it stays unreaped until asked, and the rest of its group ends with it") {
  Process process(script("sleep 1000 & echo $!; exit 3"));
  const pid_t child = std::stoi(read_line(process));
  REQUIRE(wait_readable(process.exit_descriptor(), kSoon));
  CHECK(process.has_exited());
  CHECK(is_awaited(process.id()));
  CHECK(::kill(process.id(), 0) == 0);
  CHECK(::kill(child, 0) == 0);
  CHECK(process.reap()->status == 3);
  CHECK_FALSE(is_awaited(process.id()));
  CHECK(process.reap()->status == 3);
  // The pipe ends when the last one who holds it is gone.
  CHECK(read_output(process).empty());
}

TEST_CASE("process: a running one is not reaped") {
  Process process(script("read -r x < /dev/zero"));
  CHECK_FALSE(process.has_exited());
  CHECK_FALSE(process.reap());
  process.signal_group(SIGKILL);
  CHECK(wait_exit(process).status == -SIGKILL);
}

TEST_CASE("process: one that nobody reaps is killed with its owner's interest in it") {
  pid_t id = 0;
  {
    const Process process(script("sleep 1000"));
    id = process.id();
    CHECK(is_awaited(id));
  }
  CHECK(::kill(id, 0) == -1);
  CHECK_FALSE(is_awaited(id));
}

TEST_CASE("process: used time and memory are told") {
  Process process(script("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"));
  const Exit exit = wait_exit(process);
  CHECK(exit.status == 0);
  CHECK(exit.user_time + exit.system_time > std::chrono::microseconds(1000));
  CHECK(exit.peak_memory_kib > 100);
}

TEST_CASE("process: one that dies with its parent ends when the thread that started it ends") {
  std::optional<Process> process;
  std::thread([&process] {
    SpawnRequest request = script("exec sleep 1000");
    request.dies_with_parent = true;
    process.emplace(request);
  }).join();
  CHECK(wait_exit(*process).status == -SIGKILL);
}

}  // namespace
}  // namespace mstune::os
