#include "coordinator/bundle.h"

#include <fstream>

#include <doctest/doctest.h>

#include "common/os/socket.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> names(const std::vector<BundledFile>& files) {
  std::vector<std::string> result;
  for (const BundledFile& file : files) {
    result.push_back(file.name);
  }
  return result;
}

// Reads on a worker and waits for the answer.
std::variant<std::vector<ReadFile>, Message> read(BundleReader& reader, os::Worker& worker,
                                                  const std::vector<BundledFile>& files) {
  std::optional<std::variant<std::vector<ReadFile>, Message>> result;
  reader.read(files, [&](const auto& answer) { result = answer; });
  for (int i = 0; i < 1000 && !result; ++i) {
    os::PollSet polled;
    polled.add(worker.descriptor());
    polled.wait(std::chrono::seconds(10));
    worker.drain();
  }
  REQUIRE(result.has_value());
  return *result;
}

TEST_CASE("bundle: external weights go with their OM, combined ones of another OM do not") {
  const os::Scratch scratch;
  const fs::path om = scratch / "om/model_LoadBalance1.om";
  write(om, "om");
  CHECK(names(files_of_om(om)) == std::vector<std::string>{"model_LoadBalance1.om"});
  write(scratch / "om/weight/weight_b", "b");
  write(scratch / "om/weight/weight_a", "a");
  write(scratch / "om/weight/model_LoadBalance1_weight_combined", "1");
  write(scratch / "om/weight/model_LoadBalance16_weight_combined", "16");
  fs::create_directories(scratch / "om/weight/directory");
  CHECK(names(files_of_om(om)) ==
        std::vector<std::string>{"model_LoadBalance1.om",
                                 "weight/model_LoadBalance1_weight_combined", "weight/weight_a",
                                 "weight/weight_b"});
}

TEST_CASE("bundle: a name for dynamic shapes has the weights of its prefix") {
  CHECK(is_weight_of("weight_0123", "model_cv"));
  CHECK(is_weight_of("model_cv_weight_combined", "model_cv"));
  CHECK(is_weight_of("model_cv_weight_combined", "model_cv_linux_aarch64"));
  CHECK_FALSE(is_weight_of("model_cv_weight_combined", "model_default"));
  CHECK_FALSE(is_weight_of("model_LoadBalance16_weight_combined", "model_LoadBalance1"));
  CHECK_FALSE(is_weight_of("model_LoadBalance1_weight_combined", "model_LoadBalance16"));
}

TEST_CASE("bundle: a file is read once while it stays as it is, and again when it has changed") {
  const os::Scratch scratch;
  write(scratch / "a.om", "first");
  write(scratch / "b", "");
  os::Worker worker;
  BundleReader reader(worker);
  const std::vector<BundledFile> files{{"a.om", scratch / "a.om"}, {"b", scratch / "b"}};
  const auto first = std::get<0>(read(reader, worker, files));
  REQUIRE(first.size() == 2);
  CHECK(first[0].name == "a.om");
  CHECK(first[1].source->manifest->size == 0);
  const auto again = std::get<0>(read(reader, worker, files));
  CHECK(again[0].source == first[0].source);
  fs::remove(scratch / "a.om");
  write(scratch / "a.om", "second");
  const auto changed = std::get<0>(read(reader, worker, files));
  CHECK(changed[0].source != first[0].source);
  CHECK(changed[0].source->manifest->identity != first[0].source->manifest->identity);
  CHECK(changed[1].source == first[1].source);
}

TEST_CASE("bundle: a file that cannot be read is named") {
  const os::Scratch scratch;
  os::Worker worker;
  BundleReader reader(worker);
  const auto result = read(reader, worker, {{"a", scratch / "missing"}});
  CHECK(std::get<Message>(result).text.find("missing") != std::string::npos);
}

}  // namespace
}  // namespace mstune::coordinator
