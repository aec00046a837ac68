#include "common/os/output_log.h"

#include <string>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

std::string filed(const std::string& output, OutputLimits limits, std::size_t cut) {
  const Scratch scratch;
  OutputLog log(scratch / "stdout.log", limits);
  for (std::size_t at = 0; at < output.size(); at += cut) {
    log.append(std::string_view(output).substr(at, cut));
  }
  log.finish();
  log.finish();
  CHECK(log.bytes() == output.size());
  return read_file(scratch / "stdout.log");
}

TEST_CASE("output: what fits into head and tail is filed whole, in any cut") {
  const std::string output = "0123456789abcdef";
  for (std::size_t cut = 1; cut <= output.size(); ++cut) {
    CHECK(filed(output, {10, 6}, cut) == output);
    CHECK(filed(output, {0, 16}, cut) == output);
    CHECK(filed(output, {16, 1}, cut) == output);
  }
}

TEST_CASE("output: beyond that the middle is left out and the marker counts it") {
  const std::string output = "0123456789abcdefg";
  for (std::size_t cut = 1; cut <= output.size(); ++cut) {
    CHECK(filed(output, {10, 6}, cut) ==
          "0123456789\n[mstune] 1 bytes of output left out here\nbcdefg");
    CHECK(filed(output, {3, 2}, cut) == "012\n[mstune] 12 bytes of output left out here\nfg");
  }
}

TEST_CASE("output: a head is in the file before the program has ended") {
  const Scratch scratch;
  OutputLog log(scratch / "stdout.log", {4, 4});
  log.append("abcdef");
  CHECK(read_file(scratch / "stdout.log") == "abcd");
}

TEST_CASE("output: the dropped bytes are counted the same before and after the end") {
  const Scratch scratch;
  OutputLog log(scratch / "stdout.log", {4, 4});
  log.append("12345678");
  CHECK(log.dropped() == 0);
  log.append("90");
  CHECK(log.dropped() == 2);
  log.finish();
  CHECK(log.dropped() == 2);
}

TEST_CASE("output: the last lines are told, bounded in number and in bytes") {
  const Scratch scratch;
  OutputLog log(scratch / "stdout.log", {4, 32});
  CHECK(log.last_lines(3).empty());
  log.append("one\ntwo\nthree\n");
  CHECK(log.last_lines(0).empty());
  CHECK(log.last_lines(1) == "three");
  CHECK(log.last_lines(2) == "two\nthree");
  CHECK(log.last_lines(9) == "one\ntwo\nthree");
  CHECK(log.last_lines(9, 8) == "o\nthree");
  log.append("\nfour");
  CHECK(log.last_lines(2) == "\nfour");
  log.append(std::string(100, 'x'));
  CHECK(log.last_lines(1) == std::string(32, 'x'));
}

TEST_CASE("output: a full disk is told and the end is still kept") {
  OutputLog log("/dev/full", {100, 100});
  log.append("the reason\n");
  REQUIRE(log.failure());
  CHECK(log.failure()->text.find("No space left") != std::string::npos);
  CHECK(log.last_lines(1) == "the reason");
  log.finish();
  CHECK(log.dropped() == log.bytes());
}

TEST_CASE("output: a line of a gigabyte takes no more memory than the limits") {
  const Scratch scratch;
  OutputLog log(scratch / "stdout.log", {1 << 20, 1 << 16});
  const std::string part(1 << 20, 'y');
  for (int count = 0; count < 1024; ++count) {
    log.append(part);
  }
  log.finish();
  CHECK(log.bytes() == 1ULL << 30U);
  CHECK(log.dropped() == (1ULL << 30U) - (1U << 20U) - (1U << 16U));
  CHECK(std::filesystem::file_size(scratch / "stdout.log") < (1U << 20U) + (1U << 16U) + 100);
}

}  // namespace
}  // namespace mstune::os
