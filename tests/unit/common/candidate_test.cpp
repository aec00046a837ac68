#include "common/candidate.h"

#include <string>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune {
namespace {

std::string error_id(const std::string& text) {
  try {
    parse_candidate(text);
  } catch (const Error& error) {
    return error.message().id;
  }
  return "none";
}

TEST_CASE("candidate: a name is read and written back") {
  for (const std::string text :
       {"default", "cv", "LoadBalance:1", "MainStream:64", "WeightedLoadBalance:9"}) {
    CHECK(name(parse_candidate(text)) == text);
  }
  CHECK(file_name(parse_candidate("LoadBalance:4")) == "LoadBalance4");
  CHECK(file_name(kDefaultCandidate) == "default");
}

TEST_CASE("candidate: leading zeros are the same candidate, as GE reads them") {
  CHECK(parse_candidate("LoadBalance:04") == parse_candidate("LoadBalance:4"));
}

TEST_CASE("candidate: what GE would refuse is refused with a reason of its own") {
  CHECK(error_id("LoadBalance") == "candidate.missing_streams");
  CHECK(error_id("LoadBalance:") == "candidate.bad_streams");
  CHECK(error_id("LoadBalance:0") == "candidate.bad_streams");
  CHECK(error_id("LoadBalance:65") == "candidate.bad_streams");
  CHECK(error_id("LoadBalance:-4") == "candidate.bad_streams");
  CHECK(error_id("LoadBalance:+4") == "candidate.bad_streams");
  CHECK(error_id("LoadBalance:4:4") == "candidate.bad_streams");
  CHECK(error_id("LoadBalance:99999999999") == "candidate.bad_streams");
  CHECK(error_id("loadbalance:4") == "candidate.unknown_strategy");
  CHECK(error_id("") == "candidate.unknown_strategy");
  CHECK(error_id("cv:2") == "candidate.unwanted_streams");
  CHECK(error_id("default:1") == "candidate.unwanted_streams");
}

}  // namespace
}  // namespace mstune
