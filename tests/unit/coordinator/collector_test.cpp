#include "coordinator/collector.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/file.h"
#include "protocol/codec.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::coordinator {
namespace {

constexpr std::uint64_t kPiece = protocol::kPayloadBytesMax;
using protocol::kGentlePeriod;
const TimePoint kStart{std::chrono::hours(1)};

// Files at an agent, and requests on their way to it.
struct Remote {
  explicit Remote(std::vector<std::string> texts) : contents(std::move(texts)) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      files.push_back(
          {static_cast<std::uint32_t>(i), "plog/" + std::to_string(i), 0, contents[i].size()});
    }
  }

  void ask(Collector& collector, TimePoint now, std::size_t sharers) {
    for (const protocol::Fetch& fetch : collector.take_requests(now, sharers)) {
      asked.push_back(fetch);
      ++count;
    }
  }

  // Answers the oldest request.
  bool answer(Collector& collector) {
    const protocol::Fetch fetch = asked.front();
    asked.erase(asked.begin());
    const std::string& content = contents[fetch.file];
    const std::string bytes = content.substr(std::min<std::size_t>(fetch.offset, content.size()),
                                             static_cast<std::size_t>(fetch.length));
    const bool end = fetch.offset + bytes.size() >= content.size();
    return collector.take({fetch.key, fetch.file, fetch.offset, end, {}}, bytes);
  }

  // Until nothing more comes; `sharers` by the time that has passed.
  template <typename Sharers>
  TimePoint run(Collector& collector, TimePoint now, const Sharers& sharers) {
    ask(collector, now, sharers(now));
    bool goes_on = true;
    while (goes_on && !collector.finished()) {
      now = asked.empty() ? collector.deadline() : now;
      goes_on = asked.empty() ? now != kNever : answer(collector);
      ask(collector, now, sharers(now));
    }
    CHECK(goes_on);
    return now;
  }

  std::vector<std::string> contents;
  std::vector<WantedFile> files;
  std::vector<protocol::Fetch> asked;
  std::size_t count = 0;  // of requests
};

// Different everywhere, so that a piece at a wrong place would show.
std::string content(std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += std::to_string(text.size()) + "\n";
  }
  text.resize(size);
  return text;
}

void check_whole(const os::Scratch& scratch, const Remote& remote) {
  for (std::size_t i = 0; i < remote.contents.size(); ++i) {
    CHECK(os::read_file(scratch / ("plog/" + std::to_string(i))) == remote.contents[i]);
  }
}

TEST_CASE("collector: what GE said in the files that come back is known when they are there") {
  const os::Scratch scratch;
  const std::string noise(kPiece - 40, 'x');
  Remote remote(
      {noise, noise + "\n[INFO] GE(1,a):2026 [b.cc:1]2 F: Need rollback to single stream\n"});
  Collector collector(scratch.path(), {}, remote.files);
  remote.run(collector, kStart, [](TimePoint) { return 0U; });
  CHECK(collector.finished());
  CHECK(collector.fallbacks() == std::vector<GeFallback>{GeFallback::single_stream});
}

TEST_CASE("collector: eight pieces are under way where nothing is measured") {
  const os::Scratch scratch;
  Remote remote({content(20 * kPiece)});
  Collector collector(scratch.path(), {}, remote.files);
  remote.ask(collector, kStart, 0);
  CHECK(remote.count == 8);
  CHECK(collector.deadline() == kNever);
  CHECK(remote.answer(collector));
  remote.ask(collector, kStart, 0);
  CHECK(remote.count == 9);
}

TEST_CASE("collector: a machine that measures is asked for one piece each 64th of a second") {
  const os::Scratch scratch;
  Remote remote({content(3 * kPiece + 1), "", content(kPiece)});
  Collector collector(scratch.path(), {}, remote.files);
  remote.ask(collector, kStart, 1);
  CHECK(remote.count == 1);
  CHECK(collector.deadline() == kStart + kGentlePeriod);
  CHECK(remote.answer(collector));
  remote.ask(collector, kStart + kGentlePeriod - Duration(1), 1);
  CHECK(remote.count == 1);  // an answer alone does not make it faster
  // Time in which it did not ask is not made up for.
  remote.ask(collector, kStart + std::chrono::seconds(3), 1);
  CHECK(remote.count == 2);
  const TimePoint end =
      remote.run(collector, kStart + std::chrono::seconds(3), [](TimePoint) { return 1U; });
  CHECK(remote.count == 6);
  // Two whole pieces, one byte, an empty file, and the last piece is only asked for.
  CHECK(end == kStart + std::chrono::seconds(3) + 2 * kGentlePeriod + kGentlePeriod / kPiece);
  check_whole(scratch, remote);
}

TEST_CASE("collector: those that come from one machine share the gentle rate") {
  const os::Scratch scratch;
  Remote remote({content(5 * kPiece)});
  Collector collector(scratch.path(), {}, remote.files);
  const TimePoint end = remote.run(collector, kStart, [](TimePoint) { return 3U; });
  CHECK(end == kStart + 4 * 3 * kGentlePeriod);
  check_whole(scratch, remote);
}

TEST_CASE("collector: nothing is lost or doubled where measuring begins and ends meanwhile") {
  const os::Scratch scratch;
  Remote remote({content(30 * kPiece + 7), content(1), content(9 * kPiece)});
  Collector collector(scratch.path(), {}, remote.files);
  // Fast, gentle from the first answer on, fast again a quarter of a second later.
  remote.ask(collector, kStart, 0);
  CHECK(remote.count == 8);
  remote.run(collector, kStart,
             [](TimePoint now) { return now < kStart + std::chrono::milliseconds(250) ? 1U : 0U; });
  CHECK(remote.count == 31 + 1 + 9);
  check_whole(scratch, remote);
}

TEST_CASE("collector: after a reconnect it asks from where the files end, at the same rate") {
  const os::Scratch scratch;
  Remote remote({content(6 * kPiece + 5)});
  Collector collector(scratch.path(), {}, remote.files);
  remote.ask(collector, kStart, 1);
  CHECK(remote.answer(collector));
  remote.ask(collector, kStart + kGentlePeriod, 1);
  const protocol::Fetch lost = remote.asked.front();
  remote.asked.clear();

  const TimePoint again = kStart + kGentlePeriod + kGentlePeriod / 2;
  collector.start_again();
  remote.ask(collector, again, 1);
  CHECK(remote.asked.empty());
  CHECK(collector.deadline() == kStart + 2 * kGentlePeriod);
  remote.ask(collector, collector.deadline(), 1);
  REQUIRE(remote.asked.size() == 1);
  CHECK(remote.asked.front().offset == lost.offset);
  remote.run(collector, collector.deadline(), [](TimePoint) { return 1U; });
  check_whole(scratch, remote);
  // What was under way before the connection broke is nobody's answer any more.
  CHECK_FALSE(collector.take({lost.key, lost.file, lost.offset, false, {}}, "x"));
}

TEST_CASE("collector: a file that is shorter by now ends where it ends") {
  const os::Scratch scratch;
  Remote remote({content(10 * kPiece), content(kPiece)});
  Collector collector(scratch.path(), {}, remote.files);
  remote.ask(collector, kStart, 0);
  remote.contents[0].resize(kPiece + 3);
  CHECK(remote.answer(collector));
  CHECK(remote.answer(collector));
  while (!remote.asked.empty()) {
    CHECK_FALSE(remote.answer(collector));
  }
  remote.run(collector, kStart, [](TimePoint) { return 0U; });
  check_whole(scratch, remote);
}

TEST_CASE("collector: a path that leads out of the directory is refused") {
  const os::Scratch scratch;
  for (const char* path : {"", "/etc/passwd", "plog/../../x"}) {
    CHECK_THROWS_AS(Collector(scratch.path(), {}, {{0, path, 0, 1}}), Error);
  }
}

}  // namespace
}  // namespace mstune::coordinator
