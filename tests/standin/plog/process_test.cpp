// The log library in real processes: what stands on disk, and what is lost.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/standin/plog/test_support.h"

namespace standin::test {
namespace {

namespace fs = std::filesystem;

using Environment = std::map<std::string, std::string>;

// log_driver with these verbs, logging below `root` unless `environment` says something else.
Command driver(const fs::path& root, const std::vector<std::string>& verbs,
               Environment environment = {}) {
  Command command{{STANDIN_LOG_DRIVER}, std::move(environment)};
  command.arguments.insert(command.arguments.end(), verbs.begin(), verbs.end());
  command.environment.try_emplace("ASCEND_PROCESS_LOG_PATH", root.string());
  return command;
}

// The files of a channel in the order of their names; none when its directory is missing.
std::vector<fs::path> files(const fs::path& root, const std::string& channel) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(root / channel / "plog", missing)) {
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string text(const fs::path& root, const std::string& channel) {
  std::string all;
  for (const auto& file : files(root, channel)) {
    all += content(file);
  }
  return all;
}

bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& whole, const std::string& part) {
  std::size_t count = 0;
  for (auto at = whole.find(part); at != std::string::npos; at = whole.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// The number behind "flood=" or "stream=" of each line; -1 of a line that has none.
std::vector<long> numbers(const std::string& log) {
  std::vector<long> result;
  for (const auto& line : lines_of(log)) {
    const auto equals = line.find('=');
    result.push_back(equals == std::string::npos ? -1 : std::stol(line.substr(equals + 1)));
  }
  return result;
}

TEST_CASE("plog: a line is in a file named after pid and local time, whatever the umask") {
  const TemporaryDirectory root;
  Command command = driver(root.path(), {"run", "hello"}, {{"TZ", "UTC-3"}});
  command.umask = 0077;
  Child child(command);
  const std::string pid = std::to_string(child.pid());
  CHECK(child.finish().succeeded());

  REQUIRE(files(root.path(), "run").size() == 1);
  const fs::path file = files(root.path(), "run").front();
  const std::string name = file.filename().string();
  const std::string prefix = "plog-" + pid + "_";
  CHECK(name.rfind(prefix, 0) == 0);
  const std::string digits = name.substr(prefix.size(), name.size() - prefix.size() - 4);
  CHECK(digits.size() == 17);
  CHECK(digits.find_first_not_of("0123456789") == std::string::npos);

  CHECK(mode_of(file) == 0640);
  CHECK(mode_of(root.path() / "run") == 0750);
  CHECK(mode_of(root.path() / "run/plog") == 0750);
  const std::string line = content(file);
  CHECK(line.rfind("[INFO] GE(" + pid + ",log_driver):" + digits.substr(0, 4) + "-", 0) == 0);
  CHECK(contains(line, "[driver.cc:1]" + pid + " Record:hello\n"));
  CHECK(line.substr(line.find("):") + 13, 2) == digits.substr(8, 2));  // the hour
}

TEST_CASE("plog: directories appear with the first flush, plog/ and a file only where a line is") {
  const TemporaryDirectory root;
  const fs::path log = root.path() / "made/by/the/library";
  Child child(driver(log, {"wait", "run", "first", "wait"}));
  REQUIRE(child.wait_for_output("waiting\n"));
  CHECK(mode_of(log) == 0750);
  CHECK(fs::is_empty(log));

  child.send_byte();
  REQUIRE(eventually([&] { return contains(text(log, "run"), "Record:first\n"); }));
  CHECK(fs::is_empty(log / "debug"));
  CHECK(fs::is_empty(log / "security"));
  REQUIRE(child.wait_for_output("waiting\n"));
  child.send_byte();
  CHECK(child.finish().succeeded());
}

TEST_CASE("plog: GE's event is in run/ by default, and in debug/ too at level INFO") {
  for (const Environment& environment :
       {Environment{{"ASCEND_GLOBAL_LOG_LEVEL", "1"}}, {{"ASCEND_MODULE_LOG_LEVEL", "GE=1"}}}) {
    const TemporaryDirectory root;
    run(driver(root.path(), {"event", "step"}, environment));
    CHECK(occurrences(text(root.path(), "run"), "Record:step\n") == 1);
    CHECK(occurrences(text(root.path(), "debug"), "Record:step\n") == 1);
  }
  const TemporaryDirectory root;
  run(driver(root.path(), {"event", "step", "old-event", "old"},
             {{"ASCEND_GLOBAL_LOG_LEVEL", "4"}, {"ASCEND_GLOBAL_EVENT_ENABLE", "0"}}));
  CHECK(contains(text(root.path(), "run"), "[INFO] GE("));
  CHECK_FALSE(contains(text(root.path(), "run"), "Record:old\n"));
  CHECK(text(root.path(), "debug").empty());
}

TEST_CASE("plog: SIGKILL and _exit lose what waits for the flush, a normal exit nothing") {
  for (const std::string end : {"kill", "_exit"}) {
    // A flush may happen to come just before the end, so one loss in several runs is the proof.
    bool lost = false;
    for (int attempt = 0; attempt < 20 && !lost; ++attempt) {
      const TemporaryDirectory root;
      Child child(driver(root.path(), {"run", "first", "wait", "run", "last", end}));
      REQUIRE(child.wait_for_output("waiting\n"));
      REQUIRE(eventually([&] { return contains(text(root.path(), "run"), "first\n"); }));
      child.send_byte();
      child.finish();
      CHECK(contains(text(root.path(), "run"), "first\n"));
      lost = !contains(text(root.path(), "run"), "last\n");
    }
    CHECK_MESSAGE(lost, end);
  }
  const TemporaryDirectory root;
  run(driver(root.path(), {"run", "first", "run", "last"}));
  CHECK(contains(text(root.path(), "run"), "last\n"));
}

TEST_CASE("plog: finalizing flushes nothing, so _exit behind it loses the tail") {
  bool lost = false;
  for (int attempt = 0; attempt < 20 && !lost; ++attempt) {
    const TemporaryDirectory root;
    Child child(driver(root.path(), {"run", "first", "wait", "run", "last", "finalize", "_exit"}));
    REQUIRE(child.wait_for_output("waiting\n"));
    REQUIRE(eventually([&] { return contains(text(root.path(), "run"), "first\n"); }));
    child.send_byte();
    child.finish();
    lost = !contains(text(root.path(), "run"), "last\n");
  }
  CHECK(lost);
}

TEST_CASE("plog: files of 20 MiB at most, archived read-only, no line over two of them") {
  const TemporaryDirectory root;
  constexpr long line_count = 50'000;
  run(driver(root.path(), {"stream", std::to_string(line_count)}));
  const auto found = files(root.path(), "run");
  REQUIRE(found.size() == 3);
  for (const auto& file : found) {
    CHECK(fs::file_size(file) <= 20 * 1024 * 1024);
    CHECK(content(file).rfind("[INFO] GE(", 0) == 0);
    CHECK(content(file).back() == '\n');
    CHECK(mode_of(file) == (file == found.back() ? 0640 : 0440));
  }
  CHECK(fs::file_size(found.front()) > 19 * 1024 * 1024);
  const auto order = numbers(text(root.path(), "run"));
  CHECK(order.size() == line_count);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("plog: the oldest file of the process goes when the ring is full, others stay") {
  const TemporaryDirectory root;
  fs::create_directories(root.path() / "run/plog");
  const fs::path of_another = root.path() / "run/plog/plog-1_20200101000000000.log";
  std::ofstream(of_another) << "of another process\n";
  constexpr long line_count = 70'000;
  run(driver(root.path(), {"stream", std::to_string(line_count)},
             {{"ASCEND_HOST_LOG_FILE_NUM", "2"}}));
  CHECK(fs::remove(of_another));
  CHECK(files(root.path(), "run").size() == 2);
  const auto left = numbers(text(root.path(), "run"));
  REQUIRE_FALSE(left.empty());
  CHECK(left.front() > 0);
  CHECK(left.back() == line_count - 1);
}

TEST_CASE("plog: a forked child has its own file, and its first line the pid of its parent") {
  const TemporaryDirectory root;
  Child parent(driver(root.path(), {"run", "parent", "fork", "run", "one", "run", "two"}));
  const std::string parent_pid = std::to_string(parent.pid());
  CHECK(parent.finish().succeeded());
  const auto found = files(root.path(), "run");
  REQUIRE(found.size() == 2);
  const bool first_is_parent = contains(found[0].string(), "plog-" + parent_pid + "_");
  CHECK(lines_of(content(found[first_is_parent ? 0 : 1])).size() == 1);
  const fs::path file = found[first_is_parent ? 1 : 0];
  const auto lines = lines_of(content(file));
  REQUIRE(lines.size() == 2);
  const std::string name = file.filename().string();
  const std::string child_pid = name.substr(5, name.find('_') - 5);
  CHECK(child_pid != parent_pid);
  CHECK(contains(lines[0], "GE(" + parent_pid + ","));
  CHECK(contains(lines[0], "]" + child_pid + " Record:one"));  // the thread id is the child's
  CHECK(contains(lines[1], "GE(" + child_pid + ","));
}

TEST_CASE("plog: in older CANN a forked child appends to the file of its parent") {
  const TemporaryDirectory root;
  run(driver(root.path(), {"run", "parent", "flush", "fork", "run", "one", "run", "two"},
             {{"STANDIN_PLOG_OLD_FORK", "1"}}));
  REQUIRE(files(root.path(), "run").size() == 1);
  CHECK(lines_of(text(root.path(), "run")).size() == 3);
}

TEST_CASE("plog: a flood loses its oldest lines in silence, unless saving is synchronous") {
  constexpr long line_count = 20'000;
  const TemporaryDirectory root;
  const auto outcome = run(driver(root.path(), {"flood", std::to_string(line_count)}));
  CHECK(outcome.output.empty());
  const auto left = numbers(text(root.path(), "run"));
  CHECK(left.size() < line_count);
  CHECK(left.back() == line_count - 1);

  for (const Environment& environment :
       {Environment{{"ASCEND_LOG_SYNC_SAVE", "1"}}, {{"ASCEND_GLOBAL_LOG_LEVEL", "2"}}}) {
    const TemporaryDirectory synchronous;
    run(driver(synchronous.path(), {"flood", std::to_string(line_count)}, environment));
    CHECK(numbers(text(synchronous.path(), "run")).size() == line_count);
  }
}

TEST_CASE("plog: a line has 1023 bytes at most and ends with its newline") {
  const TemporaryDirectory root;
  run(driver(root.path(), {"run", std::string(5000, 'a'), "run", "next"}));
  const std::string log = text(root.path(), "run");
  CHECK(log.find('\n') == 1022);
  CHECK(contains(log, "Record:next\n"));
}

TEST_CASE("plog: printing to stdout writes no file, and the newer variable wins") {
  const auto on_disk = [](const Environment& environment) {
    const TemporaryDirectory root;
    const auto outcome = run(driver(root.path(), {"run", "x"}, environment));
    const bool written = !text(root.path(), "run").empty();
    CHECK(written != contains(outcome.output, "Record:x\n"));
    CHECK(written != fs::is_empty(root.path()));
    return written;
  };
  CHECK(on_disk({}));
  CHECK_FALSE(on_disk({{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}}));
  CHECK_FALSE(on_disk({{"ASCEND_SLOG_PRINT_TO_STDOUT", "1"}}));
  CHECK(on_disk({{"ASCEND_LOG_PRINT_TO_STDOUT", "0"}, {"ASCEND_SLOG_PRINT_TO_STDOUT", "1"}}));
  CHECK_FALSE(on_disk({{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}, {"ASCEND_SLOG_PRINT_TO_STDOUT", "0"}}));
}

TEST_CASE("plog: a line on stdout is glued to unfinished text and survives SIGKILL") {
  const TemporaryDirectory root;
  const auto outcome = run(driver(root.path(), {"print", "progress 50 %", "run", "x", "kill"},
                                  {{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}}));
  CHECK(outcome.output.rfind("progress 50 %[INFO] GE(", 0) == 0);
  CHECK(contains(outcome.output, "Record:x\n"));
}

TEST_CASE("plog: on stdout all lines of a forked child carry the pid of its parent") {
  const TemporaryDirectory root;
  Child parent(driver(root.path(), {"fork", "run", "one", "run", "two"},
                      {{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}}));
  const std::string parent_pid = std::to_string(parent.pid());
  const auto lines = lines_of(parent.finish().output);
  REQUIRE(lines.size() == 2);
  for (const auto& line : lines) {
    CHECK(contains(line, "GE(" + parent_pid + ","));
    CHECK_FALSE(contains(line, "]" + parent_pid + " Record:"));  // the thread id is the child's
  }
}

TEST_CASE("plog: GE sees the old stdout variable only and prints an event twice with the new one") {
  const TemporaryDirectory root;
  const auto prints = [&](const std::string& variable) {
    return occurrences(run(driver(root.path(), {"event", "step"},
                                  {{variable, "1"}, {"ASCEND_GLOBAL_LOG_LEVEL", "1"}}))
                           .output,
                       "Record:step\n");
  };
  CHECK(prints("ASCEND_LOG_PRINT_TO_STDOUT") == 2);
  CHECK(prints("ASCEND_SLOG_PRINT_TO_STDOUT") == 1);
}

// A directory below `base` whose path has exactly `bytes` bytes.
fs::path long_directory(const fs::path& base, std::size_t bytes) {
  constexpr std::size_t name_max = 100;
  std::string path = base.string();
  while (path.size() < bytes) {
    path += "/" + std::string(std::min(bytes - path.size() - 1, name_max), 'd');
    if (bytes - path.size() == 1) {
      path.pop_back();
    }
  }
  fs::create_directories(path);
  return path;
}

TEST_CASE("plog: a path of 246 bytes is written to, one of 247 is not, in silence") {
  const TemporaryDirectory base;
  const fs::path fits = long_directory(base.path(), 246);
  const fs::path too_long = long_directory(base.path(), 247);
  REQUIRE(fits.string().size() == 246);
  REQUIRE(too_long.string().size() == 247);
  CHECK(run(driver(fits, {"run", "x"})).succeeded());
  CHECK(contains(text(fits, "run"), "Record:x\n"));
  const auto outcome = run(driver(too_long, {"run", "x"}));
  CHECK(outcome.succeeded());
  CHECK(outcome.output.empty());
  CHECK(fs::is_empty(too_long));
}

TEST_CASE("plog: a path of 255 bytes silences it, one of 256 is passed over for the work path") {
  for (const std::size_t bytes : {std::size_t{255}, std::size_t{256}}) {
    const TemporaryDirectory base;
    const fs::path work = base.path() / "work";
    const fs::path wished = long_directory(base.path(), bytes);
    REQUIRE(wished.string().size() == bytes);
    const auto outcome = run(driver(wished, {"run", "x"}, {{"ASCEND_WORK_PATH", work.string()}}));
    CHECK(outcome.output.empty());
    CHECK(fs::is_empty(wished));
    CHECK(contains(text(work / "log", "run"), "Record:x\n") == (bytes == 256));
  }
}

TEST_CASE("plog: a log directory that is gone and cannot be made is told once, on stdout") {
  const TemporaryDirectory base;
  const fs::path root = base.path() / "box/log";
  Child child(driver(root, {"wait", "run", "x", "flush", "run", "y", "flush"}));
  REQUIRE(child.wait_for_output("waiting\n"));
  fs::remove_all(base.path() / "box");
  std::ofstream(base.path() / "box") << "a file where a directory was";
  child.send_byte();
  const auto outcome = child.finish();
  const std::string warning = "[LOG_WARNING] can not create directory, directory: " + root.string();
  CHECK(occurrences(outcome.output, warning + ", possible reason: ") == 1);
}

TEST_CASE("plog: a path that is a file writes nothing, in silence") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "file";
  std::ofstream(file) << "mine";
  const auto outcome =
      run(driver(file, {"run", "x"}, {{"ASCEND_WORK_PATH", base.path().string()}}));
  CHECK(outcome.succeeded());
  CHECK(outcome.output.empty());
  CHECK(content(file) == "mine");
  CHECK_FALSE(fs::exists(base.path() / "log"));
}

TEST_CASE("plog: a path that cannot be made falls back to the work path, in silence") {
  const TemporaryDirectory base;
  std::ofstream(base.path() / "file") << "mine";
  const auto outcome = run(driver(base.path() / "file/below", {"run", "x"},
                                  {{"ASCEND_WORK_PATH", base.path().string()}}));
  CHECK(outcome.output.empty());
  CHECK(contains(text(base.path() / "log", "run"), "Record:x\n"));
}

TEST_CASE("plog: the environment counts as it was when the program began") {
  const TemporaryDirectory base;
  run(driver(base.path() / "then",
             {"set", "ASCEND_PROCESS_LOG_PATH=" + (base.path() / "now").string(), "run", "x"}));
  CHECK(contains(text(base.path() / "then", "run"), "Record:x\n"));
  CHECK_FALSE(fs::exists(base.path() / "now"));
}

TEST_CASE("plog: a removed file is made anew under another name, without the earlier lines") {
  const TemporaryDirectory root;
  Child child(driver(root.path(), {"run", "one", "wait", "run", "two"}));
  REQUIRE(child.wait_for_output("waiting\n"));
  REQUIRE(eventually([&] { return contains(text(root.path(), "run"), "one\n"); }));
  const fs::path removed = files(root.path(), "run").front();
  fs::remove(removed);
  child.send_byte();
  CHECK(child.finish().succeeded());
  REQUIRE(files(root.path(), "run").size() == 1);
  CHECK(files(root.path(), "run").front() != removed);
  CHECK(lines_of(text(root.path(), "run")).size() == 1);
}

TEST_CASE("plog: a program's name stands in the line as it is in argv[0]") {
  const TemporaryDirectory root;
  run(driver(root.path(), {"name", "a (x),v:[1]", "run", "x"}));
  CHECK(contains(text(root.path(), "run"), ",a (x),v:[1]):"));
}

TEST_CASE("plog: on a full disk the file ends mid-line and a warning sticks to the output") {
  const TemporaryDirectory root;
  Command command = driver(root.path(), {"stream", "500", "run", "x", "flush", "print", "next\n"});
  command.file_bytes_max = 100'000;
  const auto outcome = run(command);
  CHECK(outcome.succeeded());
  CHECK(fs::file_size(files(root.path(), "run").front()) == 100'000);
  CHECK(text(root.path(), "run").back() != '\n');
  const std::string file = files(root.path(), "run").front().string();
  CHECK(occurrences(outcome.output, "[LOG_WARNING] can not write log to file, file: " + file) == 1);
  CHECK(contains(outcome.output, "possible reason: Invalid argument.next\n"));
  CHECK(outcome.output.substr(0, outcome.output.find("next\n")).find('\n') == std::string::npos);
}

TEST_CASE("plog: the warning of a full disk waits in stdio, and _exit takes it along") {
  const TemporaryDirectory root;
  Command command = driver(root.path(), {"stream", "500", "flush", "_exit"});
  command.file_bytes_max = 100'000;
  CHECK(run(command).output.empty());
  CHECK(fs::file_size(files(root.path(), "run").front()) == 100'000);
}

}  // namespace
}  // namespace standin::test
