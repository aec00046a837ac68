#include "coordinator/plog_choice.h"

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

constexpr std::uint64_t kAmple = std::uint64_t{64} << 20U;

const std::vector<protocol::TrialFile> kFiles{
    {{"stdout.log"}, 1000},
    {{"plog/run/plog/plog-7_20260102000000000.log"}, 300},
    {{"plog/run/plog/plog-9_20260101000000000.log"}, 200},
    {{"plog/run/plog/plog-7_20260103000000000.log"}, 100},
};

std::vector<std::uint32_t> numbers(const WantedFiles& wanted) {
  std::vector<std::uint32_t> result;
  for (const WantedFile& file : wanted.files) {
    result.push_back(file.number);
  }
  return result;
}

TEST_CASE("plog choice: all brings everything, none brings what is not plog") {
  CHECK(numbers(choose_files(kFiles, PlogChoice::all, false, {.plog_bytes = kAmple})) ==
        std::vector<std::uint32_t>{0, 1, 2, 3});
  const WantedFiles none = choose_files(kFiles, PlogChoice::none, true, {.plog_bytes = kAmple});
  CHECK(numbers(none) == std::vector<std::uint32_t>{0});
  CHECK(none.left_out_bytes == 0);  // nobody wanted them
}

TEST_CASE("plog choice: failed brings the plog of a trial that failed") {
  CHECK(numbers(choose_files(kFiles, PlogChoice::failed, true, {.plog_bytes = kAmple})).size() ==
        4);
  CHECK(numbers(choose_files(kFiles, PlogChoice::failed, false, {.plog_bytes = kAmple})).size() ==
        1);
}

TEST_CASE("plog choice: within the limit come the newest, and the end of the one that is cut") {
  const WantedFiles wanted = choose_files(kFiles, PlogChoice::all, false, {.plog_bytes = 250});
  CHECK(numbers(wanted) == std::vector<std::uint32_t>{0, 1, 3});
  CHECK(wanted.left_out_bytes == 350);
  CHECK(wanted.files[1].path == "plog/run/plog/plog-7_20260102000000000.log.end");
  CHECK(wanted.files[1].begin == 150);
  CHECK(wanted.files[1].size == 300);
  CHECK(wanted.files[2].begin == 0);
}

TEST_CASE("plog choice: a limit that is just reached cuts nothing") {
  CHECK(choose_files(kFiles, PlogChoice::all, false, {.plog_bytes = 600}).left_out_bytes == 0);
  CHECK(choose_files(kFiles, PlogChoice::all, false, {.plog_bytes = 599}).left_out_bytes == 1);
  const WantedFiles nothing = choose_files(kFiles, PlogChoice::all, false, {.plog_bytes = 0});
  CHECK(numbers(nothing) == std::vector<std::uint32_t>{0});
  CHECK(nothing.left_out_bytes == 600);
}

TEST_CASE("plog choice: an empty file comes back as long as anything does") {
  const std::vector<protocol::TrialFile> files{{{"plog/a_1.log"}, 0}};
  CHECK(choose_files(files, PlogChoice::all, false, {.plog_bytes = 0}).files.size() == 1);
  CHECK(choose_files(files, PlogChoice::none, false, {.plog_bytes = 0}).files.empty());
}

TEST_CASE("plog choice: what an agent says of sizes is not believed beyond what may come") {
  const std::vector<protocol::TrialFile> files{{{"stdout.log"}, 5000},
                                               {{"core"}, 5000},
                                               {{"plog/a_1.log"}, UINT64_MAX},
                                               {{"plog/a_2.log"}, UINT64_MAX - 1}};
  const WantedFiles wanted =
      choose_files(files, PlogChoice::all, false, {.plog_bytes = 100, .output_bytes = 6000});
  REQUIRE(wanted.files.size() == 2);
  CHECK(wanted.files[0].size == 5000);
  CHECK(wanted.files[1].size == 1000);
  CHECK(wanted.output_beyond_bytes == 4000);
  CHECK(wanted.left_out_bytes == 0);
  CHECK(wanted.unbelievable == std::vector<std::string>{"plog/a_1.log", "plog/a_2.log"});
}

}  // namespace
}  // namespace mstune::coordinator
