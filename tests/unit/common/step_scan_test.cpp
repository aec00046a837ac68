#include "common/step_scan.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "common/lines.h"
#include "common/step_record.h"

namespace mstune {
namespace {

using Found = std::vector<std::pair<std::uint64_t, std::string>>;

StepLineSink into(Found& found) {
  return
      [&found](std::uint64_t number, std::string_view line) { found.emplace_back(number, line); };
}

Found scan(std::string_view bytes) {
  Found found;
  StepScanner scanner;
  scanner.feed(bytes, into(found));
  scanner.finish(into(found));
  return found;
}

Found scan_in_pieces(std::string_view bytes, std::size_t size_max, std::mt19937& random) {
  Found found;
  StepScanner scanner;
  while (!bytes.empty()) {
    const std::size_t size = 1 + random() % size_max;
    scanner.feed(bytes.substr(0, size), into(found));
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  scanner.finish(into(found));
  return found;
}

// A log of records, parts of them, noise, empty lines, and sometimes a line without an end.
std::string random_log(std::mt19937& random) {
  const std::vector<std::string> parts{"\n",
                                       "\r\n",
                                       "\n\n",
                                       std::string(kStepTag),
                                       "[GE_MS_TUNE]",
                                       "[STEP]",
                                       "[GE_MS_TUNE][GE_MS_TUNE][STEP]",
                                       " api=Run step=1 ",
                                       "[INFO] GE(1,x):",
                                       std::string(300, 'x'),
                                       std::string(1, '\0'),
                                       std::string(kStepLeadMax - 1, 'y'),
                                       std::string(kStepFieldsMax + 3, 'z')};
  // Long parts are rare, or they would be all that is tested.
  std::string log;
  const std::size_t count = random() % 60;
  for (std::size_t part = 0; part < count; ++part) {
    const std::size_t choice = random() % (random() % 8 == 0 ? parts.size() : parts.size() - 2);
    log += parts[choice];
  }
  return log;
}

TEST_CASE("step scan: lines with a tag are delivered with their numbers") {
  const std::string tag(kStepTag);
  CHECK(scan("") == Found{});
  CHECK(scan("a\nb\n") == Found{});
  CHECK(scan(tag + " 1\n\nx\n" + tag + " 2") == Found{{1, tag + " 1"}, {4, tag + " 2"}});
  CHECK(scan("\nx " + tag + "\r\n") == Found{{2, "x " + tag + "\r"}});
}

TEST_CASE("step scan: an unterminated tail is held back until its writer is gone") {
  const std::string tag(kStepTag);
  Found found;
  StepScanner scanner;
  scanner.feed("x\n" + tag + " step=1", into(found));
  CHECK(found.empty());
  scanner.feed("2", into(found));
  CHECK(found.empty());
  scanner.finish(into(found));
  CHECK(found == Found{{2, tag + " step=12"}});
  scanner.finish(into(found));
  CHECK(found.size() == 1);
}

TEST_CASE("step scan: a line with two tags is delivered once for each") {
  const std::string tag(kStepTag);
  CHECK(scan("a " + tag + " b " + tag + " c\n") ==
        Found{{1, "a " + tag + " b "}, {1, " b " + tag + " c"}});
}

TEST_CASE("step scan: any split of the bytes into reads gives the same records") {
  std::mt19937 random(20260902);
  for (int round = 0; round < 400; ++round) {
    const std::string log = random_log(random);
    const Found whole = scan(log);
    for (const std::size_t size_max : {1U, 7U, 64U, 5000U, 40000U}) {
      CAPTURE(round);
      CAPTURE(size_max);
      if (size_max > 1 || log.size() < 3000) {
        REQUIRE(scan_in_pieces(log, size_max, random) == whole);
      }
    }
  }
}

TEST_CASE("step scan: what it delivers is what splitting into lines and looking at each gives") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::string log = random_log(random);
    std::vector<std::uint64_t> expected;
    LineSplitter splitter(SIZE_MAX);
    const LineSink count_tags = [&](std::uint64_t number, std::string_view line) {
      while (take_step(line)) {
        expected.push_back(number);
      }
    };
    splitter.feed(log, count_tags);
    splitter.finish(count_tags);
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, line] : scan(log)) {
      CHECK(is_step_line(line));
      numbers.push_back(number);
    }
    CHECK(numbers == expected);
  }
}

TEST_CASE("step scan: a record after a long hole without line ends is found in bounded memory") {
  const std::string hole(1 << 20, '\0');
  const std::string record = "[INFO] GE(4,x): " + std::string(kStepTag) + " api=Run";
  Found found;
  StepScanner scanner;
  for (int piece = 0; piece < 8; ++piece) {
    scanner.feed(hole, into(found));
  }
  scanner.feed(record + "\n", into(found));
  REQUIRE(found.size() == 1);
  CHECK(found[0].first == 1);
  CHECK(found[0].second.size() <= kStepLeadMax + kStepTag.size() + kStepFieldsMax);
  CHECK(found[0].second.ends_with(record));
}

TEST_CASE("step scan: line ends are counted in every length and place") {
  std::mt19937 random(3);
  for (std::size_t size : {0U, 1U, 15U, 16U, 17U, 4079U, 4080U, 4081U, 10000U}) {
    std::string bytes(size, 'x');
    for (char& c : bytes) {
      c = random() % 3 == 0 ? '\n' : static_cast<char>(random());
    }
    CAPTURE(size);
    CHECK(count_line_ends(bytes) ==
          static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n')));
    CHECK(count_line_ends(std::string(size, '\n')) == size);
  }
}

}  // namespace
}  // namespace mstune
