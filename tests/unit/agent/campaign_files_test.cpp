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
  files.arrive("a", true);
  CHECK(files.add("a", file("x")));
  CHECK_FALSE(files.add("a", file("x")));
  files.arrive("b", true);
  CHECK(files.add("b", file("x")));
  CHECK(files.end("a").unneeded == std::vector<Digest>{file("x")});
  CHECK(files.end("a").unneeded.empty());
  const FilesLeft left = files.end("b");
  CHECK(left.unneeded == std::vector<Digest>{file("x")});
  CHECK(left.unwanted.empty());
}

TEST_CASE("campaign files: what is not to be kept is unwanted unless another campaign has it") {
  CampaignFiles files;
  files.arrive("private", false);
  files.arrive("other", true);
  files.add("private", file("shared"));
  files.add("private", file("own"));
  files.add("other", file("shared"));
  const FilesLeft left = files.end("private");
  CHECK(left.unneeded.size() == 2);
  CHECK(left.unwanted == std::vector<Digest>{file("own")});
}

TEST_CASE("campaign files: a silent coordinator has its grace time, and may come back within") {
  CampaignFiles files;
  files.arrive("a", false);
  files.add("a", file("x"));
  CHECK(files.deadline() == kNever);
  files.lose("a", kStart + seconds(60));
  CHECK(files.deadline() == kStart + seconds(60));
  CHECK(files.expire(kStart + seconds(59)).unneeded.empty());
  files.arrive("a", false);
  CHECK(files.deadline() == kNever);
  CHECK(files.expire(kStart + seconds(600)).unneeded.empty());
  files.lose("a", kStart + seconds(60));
  CHECK(files.expire(kStart + seconds(60)).unwanted == std::vector<Digest>{file("x")});
  CHECK(files.deadline() == kNever);
  files.lose("a", kStart + seconds(60));  // it is over already
  CHECK(files.deadline() == kNever);
}

TEST_CASE("campaign files: one campaign cannot hold more than its share") {
  CampaignFiles files;
  files.arrive("a", true);
  for (std::size_t i = 0; i < CampaignFiles::kFilesMax; ++i) {
    CHECK(files.add("a", file(std::to_string(i).c_str())));
  }
  CHECK_FALSE(files.add("a", file("one more")));
  CHECK(files.add("b", file("one more")));
}

}  // namespace
}  // namespace mstune::agent
