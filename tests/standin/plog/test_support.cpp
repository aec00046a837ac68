#include "tests/standin/plog/test_support.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include <doctest/doctest.h>

namespace standin::test {
namespace {

bool failed = false;  // a check of the running test case has

// doctest tells only its reporters about a failed check.
struct FailureListener : doctest::IReporter {
  explicit FailureListener(const doctest::ContextOptions& /*unused*/) {}

  void test_case_start(const doctest::TestCaseData& /*unused*/) override { failed = false; }
  void log_assert(const doctest::AssertData& check) override { failed = failed || check.m_failed; }
  void test_case_exception(const doctest::TestCaseException& /*unused*/) override { failed = true; }

  void report_query(const doctest::QueryData& /*unused*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& /*unused*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*unused*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*unused*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*unused*/) override {}
  void subcase_end() override {}
  void log_message(const doctest::MessageData& /*unused*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*unused*/) override {}
};

REGISTER_LISTENER("keep directories of failed cases", 1, FailureListener);

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (name.rfind("ASCEND_", 0) != 0 && name.rfind("STANDIN_", 0) != 0 &&
        command.environment.count(name) == 0) {
      environment.push_back(text);
    }
  }
  for (const auto& [name, value] : command.environment) {
    environment.push_back(name + "=" + value);
  }
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    read_end = ends[0];
    write_end = ends[1];
  }
};

void limit_file_size(std::uint64_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "standin-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
  }
  path_ = std::filesystem::canonical(name);
}

TemporaryDirectory::~TemporaryDirectory() {
  if (failed) {
    std::fprintf(stderr, "kept for a look: %s\n", path_.c_str());
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Child::Child(const Command& command) {
  // Everything that allocates comes before fork.
  auto arguments = command.arguments;
  auto environment = environment_of(command);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(environment);
  const Pipe to_child;
  const Pipe from_child;
  pid_ = fork();
  if (pid_ == 0) {
    dup2(to_child.read_end, STDIN_FILENO);
    dup2(from_child.write_end, STDOUT_FILENO);
    dup2(from_child.write_end, STDERR_FILENO);
    umask(command.umask);
    if (command.file_bytes_max) {
      limit_file_size(*command.file_bytes_max);
    }
    if (chdir(command.working_directory.c_str()) == 0) {
      execvpe(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
    }
    _exit(127);
  }
  close(to_child.read_end);
  close(from_child.write_end);
  input_ = to_child.write_end;
  output_ = from_child.read_end;
}

Child::~Child() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(input_);
  close(output_);
}

bool Child::read_output() {
  std::array<char, 65536> chunk{};
  const ssize_t count = read(output_, chunk.data(), chunk.size());
  if (count <= 0) {
    return false;
  }
  text_.append(chunk.data(), static_cast<std::size_t>(count));
  return true;
}

bool Child::wait_for_output(const std::string& text) {
  for (;;) {
    const auto found = text_.find(text, seen_);
    if (found != std::string::npos) {
      seen_ = found + text.size();
      return true;
    }
    if (!read_output()) {
      return false;
    }
  }
}

void Child::send_byte() const {
  REQUIRE(write(input_, "\n", 1) == 1);
}

void Child::signal(int number) const {
  kill(pid_, number);
}

Outcome Child::finish() {
  while (read_output()) {
  }
  Outcome outcome;
  waitpid(pid_, &outcome.status, 0);
  pid_ = -1;
  outcome.output = text_;
  return outcome;
}

Outcome run(const Command& command) {
  return Child(command).finish();
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace standin::test
