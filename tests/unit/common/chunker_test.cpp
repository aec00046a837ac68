#include "common/chunker.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/random_bytes.h"

namespace mstune {
namespace {

// The lengths of the chunks when the input comes in parts of the given lengths, in turn.
std::vector<std::size_t> lengths(std::string_view bytes, const std::vector<std::size_t>& parts) {
  Chunker chunker;
  std::vector<std::size_t> result{0};
  for (std::size_t turn = 0; !bytes.empty(); ++turn) {
    std::string_view part = bytes.substr(0, parts[turn % parts.size()]);
    bytes.remove_prefix(part.size());
    while (!part.empty()) {
      const auto cut = chunker.find_cut(part);
      result.back() += cut.value_or(part.size());
      part.remove_prefix(cut.value_or(part.size()));
      if (cut) {
        result.push_back(0);
      }
    }
  }
  if (result.back() == 0) {
    result.pop_back();
  }
  return result;
}

std::vector<std::size_t> lengths(std::string_view bytes) {
  return lengths(bytes, {bytes.size()});
}

std::unordered_set<std::string> contents(std::string_view bytes) {
  std::unordered_set<std::string> result;
  for (const std::size_t length : lengths(bytes)) {
    result.emplace(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return result;
}

TEST_CASE("chunker: any split of the input gives the same chunks") {
  const std::string bytes = random_bytes(3'000'000, 1);
  const auto expected = lengths(bytes);
  CHECK(expected.size() > 30);
  const std::vector<std::vector<std::size_t>> splits{
      {1}, {7, 1, 100}, {31, 32, 33}, {4096}, {16 * 1024 - 1, 1}, {65536, 3}, {1'000'000}};
  for (const auto& parts : splits) {
    CHECK(lengths(bytes, parts) == expected);
  }
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> parts(50);
    std::generate(parts.begin(), parts.end(), [&] { return 1 + random() % 100'000; });
    CHECK(lengths(bytes, parts) == expected);
  }
}

// Other cuts would find nothing of what agents have from an earlier release.
TEST_CASE("chunker: the cuts never change") {
  const auto all = lengths(random_bytes(5'000'000, 3));
  std::size_t weighted = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    weighted += (i + 1) * all[i];
  }
  CHECK(all.size() == 132);
  CHECK(all.front() == 34'743);
  CHECK(weighted == 335'217'355);
}

TEST_CASE("chunker: every chunk but the last keeps to both limits") {
  auto all = lengths(random_bytes(20'000'000, 2));
  CHECK(std::accumulate(all.begin(), all.end(), std::size_t{0}) == 20'000'000);
  all.pop_back();
  CHECK(*std::min_element(all.begin(), all.end()) >= kChunkMin);
  CHECK(*std::max_element(all.begin(), all.end()) <= kChunkMax);
  const std::size_t average = std::accumulate(all.begin(), all.end(), std::size_t{0}) / all.size();
  CHECK(average > kChunkMin);
  CHECK(average < 2 * kChunkWanted);
}

TEST_CASE("chunker: a run of one value is cut at the largest length") {
  for (const char value : {'\0', '\xff', '\x5a', '\x17'}) {
    const auto all = lengths(std::string(2 * kChunkMax + 5, value));
    CHECK(all == std::vector<std::size_t>{kChunkMax, kChunkMax, 5});
  }
}

TEST_CASE("chunker: no bytes, no chunk") {
  Chunker chunker;
  CHECK_FALSE(chunker.find_cut(""));
  CHECK(lengths("").empty());
}

TEST_CASE("chunker: a shifted part shares its chunks, whatever the shift") {
  const std::string weights = random_bytes(4'000'000, 3);
  const auto known = contents(weights);
  for (const std::size_t shift : {1U, 2U, 3U, 4U, 31U, 4096U, 12345U, 70001U}) {
    std::size_t lacking = 0;
    for (const std::string& chunk : contents(random_bytes(shift, 4) + weights)) {
      lacking += known.contains(chunk) ? 0 : chunk.size();
    }
    CHECK(lacking < shift + 3 * kChunkMax);
  }
}

TEST_CASE("chunker: a forgotten chunk leaves no trace") {
  const std::string bytes = random_bytes(500'000, 5);
  Chunker chunker;
  chunker.find_cut(std::string_view(bytes).substr(100, 10'000));
  chunker.restart();
  CHECK(chunker.find_cut(bytes) == lengths(bytes).front());
}

}  // namespace
}  // namespace mstune
