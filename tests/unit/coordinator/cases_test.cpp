// Run directories with odd records in them, and what has to come out: tests/data/cases.
#include <cmath>
#include <filesystem>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "common/os/file.h"
#include "coordinator/analyze.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// `expected` is rounded to `places` decimals.
void check_figure(const Json& actual, const Json& expected, int places) {
  REQUIRE(actual.is_null() == expected.is_null());
  if (!expected.is_null()) {
    const double half_a_unit = 0.5 * std::pow(10.0, -places);
    CHECK(std::abs(actual.get<double>() - expected.get<double>()) <= half_a_unit * 1.000001);
  }
}

void check_summary(const Json& actual, const Json& expected) {
  for (const char* field : {"config", "trials", "valid_trials", "steps", "verdict"}) {
    CAPTURE(field);
    CHECK(actual.at(field) == expected.at(field));
  }
  for (const char* field : {"mean_us", "median_us", "p90_us"}) {
    CAPTURE(field);
    check_figure(actual.at(field), expected.at(field), 2);
  }
  for (const char* field : {"cv", "speedup"}) {
    CAPTURE(field);
    check_figure(actual.at(field), expected.at(field), 4);
  }
  CHECK(actual.at("reasons").is_string());
}

void check_trial(const Json& actual, const Json& expected) {
  for (const char* field : {"config", "repeat", "exit_code", "step_count", "main_graph", "valid"}) {
    CAPTURE(field);
    CHECK(actual.at(field) == expected.at(field));
  }
  const bool due = expected.at("reason_count").get<int>() > 0;
  CHECK(actual.at("reasons").empty() != due);
  CHECK(actual.at("reasons").size() == actual.at("reason_codes").size());
}

void check_case(const fs::path& directory) {
  const Json expected = Json::parse(os::read_file(directory / "expect.json"));
  AnalyzeOptions options;
  options.inputs = {(directory / "run").string()};
  options.json = true;
  options.gates.drop_first = expected.at("drop_first").get<std::uint64_t>();
  options.gates.min_steps = expected.at("min_steps").get<std::uint64_t>();
  if (!expected.at("main_graph").is_null()) {
    options.gates.main_object = parse_object_id(expected.at("main_graph").get<std::string>());
  }
  std::ostringstream out;
  std::ostringstream notes;
  analyze(options, out, notes);
  const Json actual = Json::parse(out.str());

  CHECK(actual.at("recommended") == expected.at("recommended"));
  REQUIRE(actual.at("summaries").size() == expected.at("summaries").size());
  for (std::size_t at = 0; at < expected.at("summaries").size(); ++at) {
    CAPTURE(at);
    check_summary(actual.at("summaries").at(at), expected.at("summaries").at(at));
    CHECK(actual.at("configs").at(at) == expected.at("summaries").at(at).at("config"));
  }
  REQUIRE(actual.at("trials").size() == expected.at("trials").size());
  for (std::size_t at = 0; at < expected.at("trials").size(); ++at) {
    CAPTURE(at);
    check_trial(actual.at("trials").at(at), expected.at("trials").at(at));
  }
}

TEST_CASE("cases: every run directory comes out as its expect.json says") {
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(MSTUNE_TEST_DATA) / "cases")) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    check_case(entry.path());
    ++cases;
  }
  CHECK(cases >= 28);
}

}  // namespace
}  // namespace mstune::coordinator
