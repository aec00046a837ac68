#include "common/ge_fallback.h"

#include <doctest/doctest.h>

namespace mstune {
namespace {

const std::string kLead =
    "[INFO] GE(4711,python3):2026-08-21-15:14:44.123.456 [stream_pool.cc:84]4712 Reserve:";
const std::string kRollback = kLead +
                              "Model total required 8 streams, including reusable stream_num 1, "
                              "but current available stream num is 4. Need rollback to single "
                              "stream";
const std::string kUnload = kLead + "Free stream num 3 is less than 8, need to unload other models";

std::vector<GeFallback> found_in(const std::string& text, std::size_t piece) {
  GeFallbackScanner scanner;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    scanner.feed(std::string_view(text).substr(at, piece));
  }
  return scanner.found();
}

TEST_CASE("ge_fallback: two kinds of events tell of one, and the others of none") {
  CHECK(fallback_of(event_kind(kRollback).value()) == GeFallback::single_stream);
  CHECK(fallback_of(event_kind(kUnload).value()) == GeFallback::models_unloaded);
  CHECK_FALSE(fallback_of(EventKind::memory_assigned));
  CHECK_FALSE(fallback_of(EventKind::cache_hit));
}

TEST_CASE("ge_fallback: a log in any cut says the same, each kind once") {
  const std::string noise = kLead + std::string(900, 'x') + "\n";
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += noise;
  }
  text += kRollback + "\n" + noise + kRollback + "\n" + noise + noise + kUnload + "\n" + noise;
  const std::vector<GeFallback> both{GeFallback::single_stream, GeFallback::models_unloaded};
  for (const std::size_t piece : {1U, 7U, 1000U, 2048U, 2049U, 5000U, 100000U}) {
    CAPTURE(piece);
    CHECK(found_in(text, piece) == both);
    CHECK(found_in(noise + noise + "Need rollback to single stream\n" + noise, piece).empty());
    CHECK(found_in("[EVENT]" + kUnload.substr(kUnload.find(' ')), piece).size() == 1);
  }
}

TEST_CASE("ge_fallback: each kind has a code and a sentence of its own") {
  CHECK(std::string(code_of(GeFallback::single_stream)) == "single_stream_fallback");
  CHECK(std::string(code_of(GeFallback::models_unloaded)) == "models_unloaded");
  CHECK(sentence_of(GeFallback::single_stream).id == "trial.single_stream_fallback");
  CHECK(sentence_of(GeFallback::models_unloaded).id == "trial.models_unloaded");
}

}  // namespace
}  // namespace mstune
