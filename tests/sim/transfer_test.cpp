// Hundreds of transfers that break off at random places, each from its own seed.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "common/chunker.h"
#include "tests/sim/transfer_world.h"
#include "tests/unit/random_bytes.h"

namespace mstune {
namespace {

constexpr std::size_t kStepsMax = 20'000;

// Runs one world and checks what must hold of every one. Returns the bytes that were sent.
std::uint64_t run_world(const std::vector<agent::Content>& files, const WorldOptions& options,
                        std::uint64_t seed, std::uint64_t needed) {
  CAPTURE(seed);
  const os::Scratch scratch;
  TransferWorld world(scratch / "store", files, options, seed);
  REQUIRE(world.run(kStepsMax));
  CHECK(world.failures().empty());
  CHECK(world.uploaded() == files.size() * options.senders);
  CHECK(world.bytes_sent() <= needed + world.faults() * options.window_bytes);
  CHECK(world.bytes_under_way_max() <= 2 * options.senders * options.window_bytes);
  for (const agent::Content& file : files) {
    const auto directory = os::make_unique_directory(scratch.path(), "trial-");
    world.store().lay_out(directory, {{"model.om", file.identity()}});
    CHECK(agent::read(directory / "model.om") == file.bytes);
  }
  return world.bytes_sent();
}

std::uint64_t size_of(const std::vector<agent::Content>& files) {
  std::uint64_t size = 0;
  for (const agent::Content& file : files) {
    size += file.bytes.size();
  }
  return size;
}

TEST_CASE("transfer: without a break every byte is sent once") {
  const std::vector<agent::Content> files{agent::Content(random_bytes(2'000'000, 1)),
                                          agent::Content(""), agent::Content("a")};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK(run_world(files, {}, seed, size_of(files)) == size_of(files));
  }
}

TEST_CASE("transfer: a broken connection costs no more than its window") {
  const std::vector<agent::Content> files{agent::Content(random_bytes(1'500'000, 1)),
                                          agent::Content(random_bytes(700'000, 2))};
  WorldOptions options;
  options.break_permille = 60;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    run_world(files, options, seed, size_of(files));
  }
}

TEST_CASE("transfer: a killed agent costs no more than the windows") {
  const std::vector<agent::Content> files{agent::Content(random_bytes(1'500'000, 1)),
                                          agent::Content(random_bytes(700'000, 2))};
  WorldOptions options;
  options.break_permille = 20;
  options.restart_permille = 40;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    run_world(files, options, seed, size_of(files));
  }
}

TEST_CASE("transfer: siblings cost little more than one of them, breaks or not") {
  const std::string weights = random_bytes(1'500'000, 1);
  std::vector<agent::Content> files;
  for (std::uint64_t i = 0; i < 5; ++i) {
    files.emplace_back(random_bytes(5'000 + 777 * i, 10 + i) + weights);
  }
  WorldOptions options;
  options.break_permille = 30;
  options.restart_permille = 10;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    run_world(files, options, seed, files[0].bytes.size() + 4 * 2 * kChunkMax);
  }
}

TEST_CASE("transfer: two coordinators with the same files send one copy, and both are served") {
  const std::vector<agent::Content> files{agent::Content(random_bytes(900'000, 1)),
                                          agent::Content(random_bytes(900'000, 2))};
  WorldOptions options;
  options.senders = 2;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CHECK(run_world(files, options, seed, size_of(files)) == size_of(files));
  }
  options.break_permille = 40;
  options.restart_permille = 20;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    run_world(files, options, seed, size_of(files));
  }
}

TEST_CASE("transfer: trials of others hold it up, and cost no byte") {
  const std::vector<agent::Content> files{agent::Content(random_bytes(1'500'000, 1)),
                                          agent::Content(random_bytes(700'000, 2))};
  WorldOptions options;
  options.senders = 2;
  for (const unsigned permille : {20U, 300U}) {
    options.measure_permille = permille;
    options.break_permille = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      CHECK(run_world(files, options, seed, size_of(files)) == size_of(files));
    }
    options.break_permille = 20;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      run_world(files, options, seed, size_of(files));
    }
  }
}

}  // namespace
}  // namespace mstune
