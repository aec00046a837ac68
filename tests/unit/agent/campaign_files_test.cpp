#include "agent/campaign_files.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

using std::chrono::seconds;

const TimePoint kStart{};

Digest file(const char* name) {
  return digest_of(name);
}

TEST_CASE("campaign files: a file is held once for each campaign, until that is over") {
  CampaignFiles files;
  files.arrive("a", "ann", true);
  CHECK(files.add("a", file("x"), 1));
  CHECK_FALSE(files.add("a", file("x"), 1));
  files.arrive("b", "ann", true);
  CHECK(files.add("b", file("x"), 1));
  CHECK(files.end("a").unneeded == std::vector<Digest>{file("x")});
  CHECK(files.end("a").unneeded.empty());
  const FilesLeft left = files.end("b");
  CHECK(left.unneeded == std::vector<Digest>{file("x")});
  CHECK(left.unwanted.empty());
}

TEST_CASE("campaign files: what is not to be kept is unwanted unless another campaign has it") {
  CampaignFiles files;
  files.arrive("private", "ann", false);
  files.arrive("other", "ann", true);
  files.add("private", file("shared"), 1);
  files.add("private", file("own"), 1);
  files.add("other", file("shared"), 1);
  const FilesLeft left = files.end("private");
  CHECK(left.unneeded.size() == 2);
  CHECK(left.unwanted == std::vector<Digest>{file("own")});
}

TEST_CASE("campaign files: a silent coordinator has its grace time, and may come back within") {
  CampaignFiles files;
  files.arrive("a", "ann", false);
  files.add("a", file("x"), 1);
  CHECK(files.deadline() == kNever);
  files.lose("a", kStart + seconds(60));
  CHECK(files.deadline() == kStart + seconds(60));
  CHECK(files.expire(kStart + seconds(59)).unneeded.empty());
  files.arrive("a", "ann", false);
  CHECK(files.deadline() == kNever);
  CHECK(files.expire(kStart + seconds(600)).unneeded.empty());
  files.lose("a", kStart + seconds(60));
  CHECK(files.expire(kStart + seconds(60)).unwanted == std::vector<Digest>{file("x")});
  CHECK(files.deadline() == kNever);
  files.lose("a", kStart + seconds(60));  // it is over already
  CHECK(files.deadline() == kNever);
}

TEST_CASE("campaign files: a client's share counts each file once, and none that was refused") {
  CampaignFiles files;
  files.arrive("a", "ann", true);
  files.arrive("b", "ann", true);
  files.arrive("c", "bob", true);
  CHECK(files.add("a", file("x"), 10));
  CHECK(files.add("b", file("x"), 10));
  CHECK(files.add("b", file("y"), 5));
  CHECK(files.add("c", file("z"), 100));
  CHECK(files.bytes_of("ann") == 15);
  CHECK(files.bytes_of("bob") == 100);
  CHECK(files.bytes_of("eve") == 0);
  // A file that a trial names before its size is known.
  CHECK(files.add("c", file("later"), 0));
  CHECK_FALSE(files.add("c", file("later"), 7));
  CHECK(files.bytes_of("bob") == 107);
  CHECK(files.remove("b", file("y")));
  CHECK_FALSE(files.remove("b", file("y")));
  CHECK_FALSE(files.remove("none", file("y")));
  CHECK(files.bytes_of("ann") == 10);
  static_cast<void>(files.end("a"));
  CHECK(files.bytes_of("ann") == 10);
  static_cast<void>(files.end("b"));
  CHECK(files.bytes_of("ann") == 0);
}

TEST_CASE("campaign files: one campaign cannot hold more than its share") {
  CampaignFiles files;
  files.arrive("a", "ann", true);
  for (std::size_t i = 0; i < CampaignFiles::kFilesMax; ++i) {
    CHECK(files.add("a", file(std::to_string(i).c_str()), 1));
  }
  CHECK_FALSE(files.add("a", file("one more"), 1));
  CHECK(files.add("b", file("one more"), 1));
}

}  // namespace
}  // namespace mstune::agent
