#include "common/os/log_tail.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr auto kSoon = std::chrono::seconds(30);

// Source → its lines, in order; the numbers must count from 1 without a gap.
struct Follower {
  std::map<std::string, std::vector<std::string>> lines;
  LogTail tail;

  explicit Follower(const fs::path& directory, LogTailLimits limits = {})
      : tail(
            directory, [](std::string_view) { return true; },
            [this](const std::string& source, std::uint64_t number, std::string_view line) {
              lines[source].emplace_back(line);
              CHECK(number == lines[source].size());
            },
            limits) {}

  // Reads until nothing waits, without waiting for more.
  void catch_up() {
    while (tail.read()) {
    }
  }

  // Reads until `done` holds, as a loop does: woken by the descriptor only.
  void follow_until(const auto& done) {
    const auto limit = std::chrono::steady_clock::now() + kSoon;
    while (!done() && std::chrono::steady_clock::now() < limit) {
      if (!tail.read() && !done()) {
        wait_readable(tail.descriptor(), limit - std::chrono::steady_clock::now());
      }
    }
    REQUIRE(done());
  }

  void finish() {
    while (tail.finish()) {
    }
  }
};

using Lines = std::vector<std::string>;

TEST_CASE("log tail: what is there before, and what comes later, arrives as lines") {
  const Scratch scratch;
  append_to(scratch / "early", "one\ntwo\n");
  Follower follower(scratch.path());
  follower.catch_up();
  CHECK(follower.lines["early"] == Lines{"one", "two"});

  append_to(scratch / "early", "three\n");
  append_to(scratch / "late", "a\n");
  follower.follow_until([&] { return follower.lines["late"].size() == 1; });
  CHECK(follower.lines["early"] == Lines{"one", "two", "three"});
}

TEST_CASE("log tail: where nothing can be watched, looking again finds what was written") {
  const Scratch scratch;
  struct rlimit before {};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const struct rlimit none { 0, before.rlim_max };
  ::setrlimit(RLIMIT_NOFILE, &none);
  Follower follower(scratch.path());
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(follower.tail.descriptor() == -1);
  append_to(scratch / "file", "one\n");
  follower.tail.rescan();
  CHECK_FALSE(follower.tail.is_watching_all());
  follower.catch_up();
  append_to(scratch / "file", "two\n");
  follower.tail.rescan();
  follower.catch_up();
  CHECK(follower.lines["file"] == Lines{"one", "two"});
}

TEST_CASE("log tail: the directory may be spelled with a final slash") {
  const Scratch scratch;
  append_to(scratch / "a", "one\n");
  Follower follower(scratch.path().string() + "/");
  append_to(scratch / "a", "two\n");
  follower.catch_up();
  CHECK(follower.lines == std::map<std::string, Lines>{{"a", {"one", "two"}}});
}

TEST_CASE("log tail: a line is held back until it is whole, or its writer gone") {
  const Scratch scratch;
  Follower follower(scratch.path());
  append_to(scratch / "a", "be");
  follower.catch_up();
  CHECK(follower.lines["a"].empty());
  append_to(scratch / "a", "gin\nend");
  follower.catch_up();
  CHECK(follower.lines["a"] == Lines{"begin"});
  follower.finish();
  CHECK(follower.lines["a"] == Lines{"begin", "end"});
}

TEST_CASE("log tail: directories that appear late are followed to any depth") {
  const Scratch scratch;
  Follower follower(scratch.path());
  fs::path deep = scratch.path();
  std::string source;
  for (int level = 0; level < 200; ++level) {
    deep /= "d";
    source += "d/";
    fs::create_directory(deep);
    if (level % 50 == 0) {
      follower.catch_up();
    }
  }
  append_to(deep / "log", "found\n");
  follower.follow_until([&] { return !follower.lines[source + "log"].empty(); });
  append_to(deep / "log", "again\n");
  follower.follow_until([&] { return follower.lines[source + "log"].size() == 2; });
}

TEST_CASE("log tail: a file removed while it is followed is read to its end") {
  const Scratch scratch;
  Follower follower(scratch.path());
  append_to(scratch / "a", "one\n");
  follower.catch_up();
  append_to(scratch / "a", "two\nthree");
  fs::remove(scratch / "a");
  follower.catch_up();
  CHECK(follower.lines["a"] == Lines{"one", "two", "three"});
}

TEST_CASE("log tail: a removed file that is still written to is followed, and let go afterwards") {
  const Scratch scratch;
  Follower follower(scratch.path());
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = open_files();
  {
    AppendFile writer(scratch / "a");
    writer.append("one\n");
    follower.catch_up();
    fs::remove(scratch / "a");
    follower.catch_up();
    writer.append("two\n");
    follower.catch_up();
    CHECK(follower.lines["a"] == Lines{"one", "two"});
    writer.append("three\n");
  }
  follower.catch_up();
  CHECK(follower.lines["a"] == Lines{"one", "two", "three"});
  CHECK(open_files() == before);
}

TEST_CASE("log tail: a second file at the same path is a source of its own") {
  const Scratch scratch;
  Follower follower(scratch.path());
  append_to(scratch / "a", "old\n");
  follower.catch_up();
  fs::remove(scratch / "a");
  append_to(scratch / "a", "new\n");
  follower.catch_up();
  CHECK(follower.lines["a"] == Lines{"old"});
  CHECK(follower.lines["a#2"] == Lines{"new"});
}

TEST_CASE("log tail: a file that is renamed keeps its source and is not read twice") {
  for (const std::size_t descriptors : {512U, 1U}) {
    const Scratch scratch;
    Follower follower(scratch.path(), {descriptors, 4096});
    append_to(scratch / "log", "one\n");
    append_to(scratch / "other", "x\n");
    follower.catch_up();
    fs::rename(scratch / "log", scratch / "log.1");
    append_to(scratch / "log.1", "two\n");
    append_to(scratch / "log", "new\n");
    follower.catch_up();
    follower.finish();
    CHECK(follower.lines == std::map<std::string, Lines>{
                                {"log", {"one", "two"}}, {"log#2", {"new"}}, {"other", {"x"}}});
  }
}

TEST_CASE("log tail: a file that is emptied in place is read anew, its line numbers go on") {
  const Scratch scratch;
  Follower follower(scratch.path());
  append_to(scratch / "a", "one\ntwo\n");
  follower.catch_up();
  fs::resize_file(scratch / "a", 0);
  follower.catch_up();
  append_to(scratch / "a", "three\n");
  follower.catch_up();
  CHECK(follower.lines["a"] == Lines{"one", "two", "three"});
}

TEST_CASE("log tail: only what the filter accepts goes to the sink, everything is counted") {
  const Scratch scratch;
  std::vector<std::pair<std::uint64_t, std::string>> kept;
  LogTail tail(
      scratch.path(), [](std::string_view line) { return line.starts_with("STEP"); },
      [&kept](const std::string&, std::uint64_t number, std::string_view line) {
        kept.emplace_back(number, line);
      });
  append_to(scratch / "a", "noise\nSTEP 1\nnoise\nSTEP 2\n");
  while (tail.finish()) {
  }
  CHECK(kept == std::vector<std::pair<std::uint64_t, std::string>>{{2, "STEP 1"}, {4, "STEP 2"}});
  CHECK(tail.counts().lines == 4);
  CHECK(tail.counts().bytes == 26);
  CHECK(tail.counts().files == 1);
}

TEST_CASE("log tail: links, pipes and what they lead to are left alone") {
  const Scratch outside;
  append_to(outside / "secret", "outside\n");
  const Scratch scratch;
  fs::create_symlink(outside / "secret", scratch / "link");
  fs::create_directory_symlink(outside.path(), scratch / "directory");
  fs::create_directory_symlink(scratch.path(), scratch / "loop");
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  Follower follower(scratch.path());
  fs::create_symlink(outside / "secret", scratch / "late");
  append_to(scratch / "plain", "inside\n");
  follower.catch_up();
  follower.finish();
  CHECK(follower.lines == std::map<std::string, Lines>{{"plain", {"inside"}}});
}

TEST_CASE("log tail: one call reads no more than it was allowed, and every file has its turn") {
  const Scratch scratch;
  std::string flood;
  while (flood.size() < (std::size_t{2} << 20U)) {
    flood += std::string(99, 'f') + "\n";
  }
  append_to(scratch / "flood", flood);
  append_to(scratch / "small", "here\n");
  Follower follower(scratch.path());
  CHECK(follower.tail.read(std::size_t{256} << 10U));
  CHECK(follower.tail.counts().bytes <= (std::size_t{512} << 10U));
  CHECK(follower.lines["small"] == Lines{"here"});
  follower.catch_up();
  CHECK(follower.tail.counts().bytes == flood.size() + 5);
}

TEST_CASE("log tail: many files need no more descriptors than the limit") {
  const Scratch scratch;
  constexpr int kFiles = 1200;
  constexpr std::size_t kDescriptors = 20;
  Follower follower(scratch.path(), {kDescriptors, 4096});
  const auto open_files = [] {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  };
  const std::size_t before = open_files();
  for (int round = 1; round <= 2; ++round) {
    for (int number = 0; number < kFiles; ++number) {
      append_to(scratch / std::to_string(number), std::to_string(round) + "\n");
      if (number % 300 == 0) {
        follower.catch_up();
        CHECK(open_files() <= before + kDescriptors);
      }
    }
  }
  follower.finish();
  CHECK(open_files() <= before + kDescriptors);
  CHECK(follower.lines.size() == kFiles);
  for (const auto& [source, lines] : follower.lines) {
    CHECK(lines == Lines{"1", "2"});
  }
}

TEST_CASE("log tail: a file that changed while it was closed and is gone counts as lost, once") {
  const Scratch scratch;
  Follower follower(scratch.path(), {1, 4096});
  append_to(scratch / "a", "one\n");
  append_to(scratch / "b", "one\n");
  follower.catch_up();
  append_to(scratch / "a", "two\n");
  fs::remove(scratch / "a");
  fs::remove(scratch / "b");
  follower.catch_up();
  follower.finish();
  CHECK(follower.tail.counts().lost_files == 1);
  CHECK(follower.lines == std::map<std::string, Lines>{{"a", {"one"}}, {"b", {"one"}}});
}

TEST_CASE("log tail: more changes than the system queues are found by a new look") {
  const Scratch scratch;
  const int queue = std::stoi(read_file("/proc/sys/fs/inotify/max_queued_events"));
  Follower follower(scratch.path());
  fs::create_directory(scratch / "d");
  std::array<AppendFile, 2> writers{AppendFile(scratch / "a"), AppendFile(scratch / "b")};
  for (int number = 0; number <= queue; ++number) {
    // Two files in turn, or the kernel would fold the changes into one.
    writers.at(static_cast<std::size_t>(number % 2)).append("x\n");
  }
  append_to(scratch / "d/after", "seen\n");
  follower.catch_up();
  append_to(scratch / "d/after", "again\n");
  follower.follow_until([&] { return follower.lines["d/after"].size() == 2; });
  CHECK(follower.lines["a"].size() + follower.lines["b"].size() ==
        static_cast<std::size_t>(queue) + 1);
}

TEST_CASE("log tail: a file that may not be read is counted and the others are read") {
  if (::geteuid() == 0) {
    return;  // root may read everything
  }
  const Scratch scratch;
  append_to(scratch / "closed", "x\n");
  ::chmod((scratch / "closed").c_str(), 0);
  append_to(scratch / "open", "y\n");
  Follower follower(scratch.path());
  follower.finish();
  CHECK(follower.lines == std::map<std::string, Lines>{{"open", {"y"}}});
  CHECK(follower.tail.counts().unreadable == 1);
}

TEST_CASE("log tail: a directory that is not there is an error that names it") {
  const Scratch scratch;
  try {
    const Follower follower(scratch / "none");
    FAIL("must throw");
  } catch (const Error& error) {
    CHECK(error.message().id == "log_tail.no_directory");
    CHECK(error.message().text.find((scratch / "none").string()) != std::string::npos);
  }
}

// Writes as the log library does: opens, writes some lines, closes; a full file is followed by a
// new one, and the oldest beyond three is removed right after the close.
class RotatingWriter {
 public:
  RotatingWriter(fs::path directory, std::string prefix)
      : directory_(std::move(directory)), prefix_(std::move(prefix)) {}

  void flush(const std::string& bytes) {
    append_to(directory_ / (prefix_ + std::to_string(file_)), bytes);
    if (++flushes_ % 5 == 0) {
      ++file_;
      if (file_ > 3) {
        fs::remove(directory_ / (prefix_ + std::to_string(file_ - 4)));
      }
    }
  }

  [[nodiscard]] int rotations() const { return file_; }

 private:
  fs::path directory_;
  std::string prefix_;
  int file_ = 0;
  int flushes_ = 0;
};

TEST_CASE("log tail: not a byte is missed below nested directories with rotation and removal") {
  const Scratch scratch;
  fs::create_directory(scratch / "root");
  Follower follower(scratch / "root");
  std::atomic<bool> done = false;
  std::size_t written = 0;
  std::thread writer([&] {
    fs::path deep = scratch / "root";
    for (int level = 0; level < 200; ++level) {
      deep /= "n" + std::to_string(level);
      fs::create_directory(deep);
    }
    RotatingWriter log(deep, "plog-1_");
    while (log.rotations() < 50) {
      std::string bytes;
      for (int line = 0; line < 40; ++line) {
        bytes += std::to_string(written++) + std::string(100, '.') + "\n";
      }
      log.flush(bytes);
      // The library flushes five times a second; this is a hundred times as often.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    done = true;
  });
  while (!done) {
    if (!follower.tail.read()) {
      wait_readable(follower.tail.descriptor(), std::chrono::milliseconds(50));
    }
  }
  writer.join();
  follower.finish();
  std::vector<bool> seen(written, false);
  for (const auto& [source, lines] : follower.lines) {
    for (const std::string& line : lines) {
      const std::size_t number = std::stoul(line);
      REQUIRE(number < written);
      CHECK_FALSE(seen[number]);
      seen[number] = true;
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), false) == 0);
  CHECK(follower.tail.counts().files == 50);
  CHECK(follower.tail.counts().lost_files == 0);
}

}  // namespace
}  // namespace mstune::os
