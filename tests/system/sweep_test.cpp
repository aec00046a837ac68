// Every call of coordinator and agent that changes the file system, hit once: by kill -9, by an
// input/output error, by a disk that is full from then on. The campaign is resumed, and its run
// directory is that of an undisturbed one.
#include <algorithm>
#include <array>
#include <random>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/run_masks.h"
#include "tests/system/sweep_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

std::vector<CampaignKind> kinds() {
  return {
      {"online, fixed order", {"--order", "fixed", "--repeat", "2"}},
      {"share", {"--order", "fixed", "--repeat", "2"}, false, "share"},
      {"replicate", {"--order", "random", "--seed", "7", "--repeat", "2"}, false, "replicate"},
      {"offline", {"--order", "random", "--seed", "7", "--repeat", "2"}, true},
      {"online, random order, control runs",
       {"--order", "random", "--seed", "7", "--repeat", "2", "--aa"}},
      {"until proven", {"--order", "fixed", "--until-proven", "--max-repeat", "4"}},
      {"refined", {"--order", "fixed", "--repeat", "3", "--refine"}},
      {"confirmed", {"--order", "fixed", "--repeat", "3", "--confirm", "2"}},
      {"offline, share", {"--order", "fixed", "--repeat", "2"}, true, "share"},
  };
}

struct Undisturbed {
  std::map<std::string, std::string> files;
  unsigned long calls = 0;
};

Undisturbed undisturbed(const CampaignKind& kind, const std::string& program_name) {
  SweepPlace place(kind);
  const Ended ended = place.run(program_name + ":0:count");
  INFO(ended.output);
  REQUIRE(ended.status == 0);
  REQUIRE(place.calls() > 20);
  return {place.result(), place.calls()};
}

void hit(const CampaignKind& kind, const Undisturbed& wanted, const std::string& sweep) {
  CAPTURE(kind.name);
  CAPTURE(sweep);
  SweepPlace place(kind);
  const Ended faulty = place.run(sweep);
  CAPTURE(faulty.output);
  const Ended last = place.run("");  // also where it went well: a trial may have found no room
  CAPTURE(last.output);
  CHECK(last.status == 0);
  for (const std::string& difference : differences(wanted.files, place.result())) {
    FAIL_CHECK(difference);
  }
  eventually([&] { return place.left_behind().empty(); }, std::chrono::seconds(10));
  for (const std::string& left : place.left_behind()) {
    FAIL_CHECK(left);
  }
  const fs::path attempts = place.run_directory() / "attempts";
  if (fs::exists(attempts)) {
    for (const auto& attempt : fs::directory_iterator(attempts)) {
      CHECK(fs::exists(attempt.path() / "attempt.json"));
    }
  }
}

constexpr std::array<const char*, 5> kFaults{"kill", "enospc", "eio", "edquot", "erofs"};

struct Extent {
  std::size_t kinds;
  std::size_t points;  // of each of these kinds
};

struct Point {
  std::size_t kind;
  std::size_t place;  // among those of its kind
};

// In no order, so that the first ones of very many are spread as all of them are.
std::vector<Point> points_of(const Extent& extent, std::mt19937_64& random) {
  std::vector<Point> points;
  for (std::size_t place = 0; place < extent.points; ++place) {
    for (std::size_t kind = 0; kind < extent.kinds; ++kind) {
      points.push_back({kind, place});
    }
  }
  std::shuffle(points.begin(), points.end(), random);
  return points;
}

// Points spread over all calls of each kind of campaign, and each fault in its turn.
void sweep(const std::string& program_name, const Extent& ordinary, const Extent& long_form) {
  std::mt19937_64 random(11);
  const auto all = kinds();
  const Extent& extent = is_long() ? long_form : ordinary;
  std::vector<Undisturbed> wanted;
  for (std::size_t kind = 0; kind < extent.kinds; ++kind) {
    wanted.push_back(undisturbed(all.at(kind), program_name));
  }
  std::size_t hits = 0;
  for (const Point& point : points_of(extent, random)) {
    const unsigned long calls = wanted.at(point.kind).calls;
    const unsigned long begin = point.place * calls / extent.points;
    const unsigned long end = std::max(begin + 1, (point.place + 1) * calls / extent.points);
    hit(all.at(point.kind), wanted.at(point.kind),
        program_name + ":" + std::to_string(1 + begin + random() % (end - begin)) + ":" +
            kFaults.at(hits++ % kFaults.size()));
    if (hits % 100 == 0) {
      MESSAGE(program_name, ": ", hits, " points");
    }
  }
}

TEST_CASE("sweep: whatever call of the coordinator is hit, the resumed run is whole") {
  sweep("mstune", {2, 2}, {kinds().size(), 160});
}

TEST_CASE("sweep: whatever call of the agent is hit, the run is whole") {
  sweep("mstune-agent", {2, 1}, {kinds().size(), 64});
}

}  // namespace
}  // namespace mstune::test
