// Real processes and directories for the tests of the stand-in.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace standin::test {

// Nothing that a test waits for takes nearly as long, even on a busy machine.
inline constexpr std::chrono::seconds kDeadline{20};

// True as soon as `condition` holds; false at the deadline.
bool eventually(const std::function<bool()>& condition);

// A fresh directory. It stays, and its name is printed, when the test case has failed.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory(TemporaryDirectory&&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Command {
  std::vector<std::string> arguments;                // the program first, searched in PATH
  std::map<std::string, std::string> environment{};  // over that of the test, without ASCEND_*
  std::filesystem::path working_directory = "/";
  std::optional<std::uint64_t> file_bytes_max{};  // a write beyond is cut short, as on a full disk
  mode_t umask = 022;
};

struct Outcome {
  int status = 0;      // as waitpid has it
  std::string output;  // stdout and stderr

  [[nodiscard]] bool succeeded() const { return status == 0; }
};

// A running process with pipes at its input and output. Killed if it still runs at the end.
class Child {
 public:
  explicit Child(const Command& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Reads output until it has contained `text` once more. False when the output ended before.
  bool wait_for_output(const std::string& text);
  void send_byte() const;
  void signal(int number) const;
  // Reads the rest of the output, and waits for the end.
  Outcome finish();

 private:
  bool read_output();

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string text_;
  std::size_t seen_ = 0;  // of text_, by wait_for_output
};

Outcome run(const Command& command);

std::string content(const std::filesystem::path& file);
mode_t mode_of(const std::filesystem::path& path);  // permission bits

// The lines of a text, without '\n'; an unterminated rest is the last of them.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace standin::test
