#include "coordinator/production.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;

Ranking ranking_with(std::string_view candidate, double speedup) {
  Ranking ranking;
  Summary summary;
  summary.candidate = parse_candidate(candidate);
  summary.speedup = speedup;
  ranking.summaries.push_back(summary);
  ranking.recommended = summary.candidate;
  return ranking;
}

std::vector<std::string> remark_ids(std::string_view candidate, const Ranking& ranking) {
  std::vector<std::string> ids;
  for (const Message& remark : production_remarks(parse_candidate(candidate), ranking)) {
    ids.push_back(remark.id);
  }
  return ids;
}

TEST_CASE("production: a candidate is an option of the session and of atc") {
  const Ranking ranking = ranking_with("LoadBalance:4", 1.2);
  const Candidate candidate = parse_candidate("LoadBalance:4");
  const Json json = Json::parse(production_json(candidate, ranking));
  CHECK(json["session_options"] == Json{{"ge.autoMultistreamParallelMode", "LoadBalance:4"}});
  CHECK(json["torchair_options"] == json["session_options"]);
  CHECK(json["atc_arguments"] == Json{"--multi_stream_parallel_mode=LoadBalance:4"});
  CHECK(json["speedup"] == 1.2);
  CHECK(json["speedup_low"].is_null());
  const std::string text = production_text(candidate, ranking);
  CHECK(text.find("--multi_stream_parallel_mode=LoadBalance:4") != std::string::npos);
  CHECK(text.find("1.200 times as fast") != std::string::npos);
}

TEST_CASE("production: default means to set nothing") {
  const Ranking ranking = ranking_with("default", 1.0);
  const Json json = Json::parse(production_json(kDefaultCandidate, ranking));
  CHECK(json["session_options"].empty());
  CHECK(json["atc_arguments"].empty());
  const std::string text = production_text(kDefaultCandidate, ranking);
  CHECK(text.find("set nothing") != std::string::npos);
  CHECK(text.find("--multi_stream_parallel_mode") == std::string::npos);
}

TEST_CASE("production: what has to be known about a candidate is said") {
  using Ids = std::vector<std::string>;
  CHECK(remark_ids("WeightedLoadBalance:2", ranking_with("WeightedLoadBalance:2", 1.1)) ==
        Ids{"export.remove_pass", "export.single_stream", "export.torchair_unconfirmed",
            "export.weighted_undocumented"});
  CHECK(remark_ids("default", ranking_with("cv", 1.1)) ==
        Ids{"export.remove_pass", "export.default_is_nothing", "export.not_recommended"});
  Ranking vetoed = ranking_with("cv", 1.1);
  vetoed.confidence.candidates[parse_candidate("cv")].result.vetoed = true;
  CHECK(remark_ids("cv", vetoed) == Ids{"export.remove_pass", "export.single_stream",
                                        "export.torchair_unconfirmed", "export.other_result"});
}

}  // namespace
}  // namespace mstune::coordinator
