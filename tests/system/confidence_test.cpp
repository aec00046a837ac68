#include <doctest/doctest.h>

#include "tests/system/campaign.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> online(std::vector<std::string> more, const std::string& steps = "12") {
  more.insert(more.begin(), {"--run-command", program("sample_run") + " --steps " + steps});
  return more;
}

// What a run of `mstune analyze --json` says about the campaign that was measured in `place`.
nlohmann::json analyzed(Workplace& place, std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {program("mstune"), "analyze", place.run_directory().string(), "--json"});
  const Ended ended = place.run(more);
  INFO(ended.output);
  CHECK(ended.status == 0);
  return nlohmann::json::parse(ended.output);
}

const nlohmann::json& summary_of(const nlohmann::json& document, const std::string& config) {
  for (const auto& summary : document.at("summaries")) {
    if (summary.at("config") == config) {
      return summary;
    }
  }
  FAIL("no summary of ", config);
  return document;
}

TEST_CASE("confidence: intervals and words stand in every document, and analyze says the same") {
  Workplace place;
  const Ended ended = place.tune(online({"--repeat", "3", "--configs", "LoadBalance:4"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("Evidence: proven. With 95 % confidence LoadBalance:4 is ") !=
        std::string::npos);
  const auto summary = place.summary();
  CHECK(summary.at("proven") == "LoadBalance:4");
  CHECK(summary.at("recommended") == "LoadBalance:4");
  const auto& winner = summary_of(summary, "LoadBalance:4");
  CHECK(winner.at("evidence") == "proven");
  CHECK(winner.at("speedup_low") <= winner.at("speedup"));
  CHECK(winner.at("speedup_high") >= winner.at("speedup"));
  CHECK(read_text(place.run_directory() / "summary.csv").find(",proven\n") != std::string::npos);
  CHECK(analyzed(place) == summary);
}

TEST_CASE("confidence: --until-proven looks after each round and stops when all is settled") {
  Workplace place;
  place.environment()["STANDIN_DETERMINISTIC"] = "0";  // slightly noisy
  const Ended ended = place.tune(online({"--configs", "LoadBalance:4,MainStream:2",
                                         "--until-proven", "--max-repeat", "9", "--seed", "1"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("[look] after 3 rounds ") != std::string::npos);
  CHECK(ended.output.find("[look] no more rounds: ") != std::string::npos);
  const auto summary = place.summary();
  CHECK(summary.at("max_repeat") == 9);
  CHECK(summary.at("trials").size() >= 9);
  CHECK(analyzed(place) == summary);
}

TEST_CASE("confidence: --refine builds and measures the neighbours in the same run") {
  Workplace place;
  const Ended ended = place.tune(
      {"--mode", "offline", "--compile-command",
       "atc --model=" + model("wide") + " --soc_version=Ascend910B2 --output={om_prefix}",
       "--run-command", program("sample_infer") + " --om {om} --loop 8", "--configs",
       "LoadBalance:2", "--repeat", "2", "--refine"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("[look] refining around LoadBalance:2: LoadBalance:1, LoadBalance:3") !=
        std::string::npos);
  CHECK(fs::exists(place.run_directory() / "om/model_LoadBalance3.om"));
  const auto summary = place.summary();
  CHECK(summary_of(summary, "LoadBalance:3").at("valid_trials") >= 2);
  CHECK(analyzed(place) == summary);
}

TEST_CASE("confidence: --refine after --until-proven takes looks of its own") {
  Workplace place;
  const Ended ended = place.tune(online({"--configs", "LoadBalance:2", "--repeat", "2",
                                         "--until-proven", "--max-repeat", "4", "--refine"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto refining = ended.output.find("[look] refining around LoadBalance:2: ");
  CHECK(refining != std::string::npos);
  CHECK(ended.output.find("[look] no more rounds: ") < refining);
  CHECK(ended.output.find("[look] no more rounds: ", refining) != std::string::npos);
  const auto summary = place.summary();
  CHECK(summary_of(summary, "LoadBalance:3").at("evidence").is_string());
  CHECK(summary.at("trials").back().at("stage").get<int>() >= 1);
  CHECK(analyzed(place) == summary);
}

TEST_CASE("confidence: --aa and --confirm run beside the ranking and not in it") {
  Workplace place;
  const Ended ended =
      place.tune(online({"--configs", "LoadBalance:4", "--repeat", "2", "--aa", "--confirm", "2"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto summary = place.summary();
  CHECK(summary.at("trials").size() == 2 * 3 + 2 * 4);
  CHECK(summary_of(summary, "default").at("trials") == 2);
  CHECK(summary_of(summary, "LoadBalance:4").at("trials") == 2);
  CHECK(summary.at("control").at("speedup") == 1.0);  // the stand-in is deterministic here
  CHECK(summary.at("confirmation").at("config") == "LoadBalance:4");
  CHECK(summary.at("confirmation").at("speedup").get<double>() ==
        doctest::Approx(summary_of(summary, "LoadBalance:4").at("speedup").get<double>()));
  CHECK(ended.output.find("A/A control: ") != std::string::npos);
  CHECK(ended.output.find("In 2 fresh rounds: LoadBalance:4 is ") != std::string::npos);
  CHECK(analyzed(place) == summary);
}

TEST_CASE("confidence: mstune confirm measures the winner of an earlier run again, beside it") {
  Workplace place;
  CHECK(place.tune(online({"--configs", "LoadBalance:4", "--repeat", "2"})).status == 0);
  const auto before = place.summary();
  const auto confirm = [&] {
    return place.run(
        {program("mstune"), "confirm", place.run_directory().string(), "--rounds", "2"});
  };
  const Ended ended = confirm();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("In 2 fresh rounds: LoadBalance:4 is ") != std::string::npos);
  auto after = place.summary();
  CHECK(after.at("confirmation").at("config") == "LoadBalance:4");
  CHECK(after.at("trials").size() == before.at("trials").size() + 8);
  CHECK(fs::exists(place.run_directory() / "trial_004_LoadBalance4_confirm_r1") !=
        fs::exists(place.run_directory() / "trial_004_default_confirm_r1"));
  CHECK(after.at("summaries") == before.at("summaries"));
  CHECK(after.at("recommended") == before.at("recommended"));
  CHECK(analyzed(place) == after);
  CHECK(confirm().status == 0);
  CHECK(place.summary().at("confirmation").at("rounds") == 4);
  CHECK(place.summary().at("trials").size() == before.at("trials").size() + 16);
}

TEST_CASE("confidence: mstune confirm runs the OMs that were measured") {
  Workplace place;
  const Ended tuned = place.tune(
      {"--mode", "offline", "--compile-command",
       "atc --model=" + model("wide") + " --soc_version=Ascend910B2 --output={om_prefix}",
       "--run-command", program("sample_infer") + " --om {om} --loop 8", "--configs",
       "LoadBalance:4,cv", "--repeat", "2"});
  INFO(tuned.output);
  CHECK(tuned.status == 0);
  const std::string winner = place.summary().at("recommended");
  REQUIRE(winner != "default");
  fs::remove(place.run_directory() / "om/model_default.om");  // this one has to be built again
  const Ended ended =
      place.run({program("mstune"), "confirm", place.run_directory().string(), "--rounds", "2"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("[build] default: ") != std::string::npos);
  CHECK(ended.output.find("[build] " + winner) == std::string::npos);
  CHECK(place.summary().at("confirmation").at("config") == winner);
  // Another model in its place is not what was measured.
  const std::string om = place.run_directory().string() + "/om/model_" +
                         (winner == "cv" ? "cv" : "LoadBalance4") + ".om";
  REQUIRE(fs::exists(om));
  fs::copy_file(place.run_directory() / "om/model_default.om", om,
                fs::copy_options::overwrite_existing);
  const Ended other =
      place.run({program("mstune"), "confirm", place.run_directory().string(), "--rounds", "2"});
  INFO(other.output);
  CHECK(other.status == 2);
  CHECK(other.output.find("is not the one that this run was begun with") != std::string::npos);
}

TEST_CASE("confidence: mstune confirm says why there is nothing for it to do") {
  Workplace place;
  CHECK(place.tune(online({"--configs", "default", "--repeat", "2"})).status == 0);
  const std::string run = place.run_directory().string();
  const Ended nothing = place.run({program("mstune"), "confirm", run});
  CHECK(nothing.status == 0);
  CHECK(nothing.output.find("nothing to confirm") != std::string::npos);
  fs::remove(fs::path(run) / "campaign.json");
  const Ended unknown = place.run({program("mstune"), "confirm", run});
  CHECK(unknown.status == 2);
  CHECK(unknown.output.find("has no campaign.json") != std::string::npos);
}

TEST_CASE("confidence: --drop-first auto finds the end of a long warm-up") {
  Workplace place;
  place.environment()["STANDIN_WARMUP_STEPS"] = "6";
  const Ended ended =
      place.tune(online({"--configs", "cv", "--repeat", "1", "--drop-first", "auto"}, "40"));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto summary = place.summary();
  for (const auto& trial : summary.at("trials")) {
    CHECK(trial.at("drop_first") == 6);
  }
  CHECK(analyzed(place) == place.summary());
}

TEST_CASE("confidence: a candidate whose digest differs is neither proven nor recommended") {
  Workplace place;
  place.environment()["STANDIN_CORRUPT"] = "LoadBalance:4";
  const Ended ended = place.tune(
      {"--mode", "offline", "--compile-command",
       "atc --model=" + model("wide") + " --soc_version=Ascend910B2 --output={om_prefix}",
       "--run-command", program("sample_infer") + " --om {om} --loop 8", "--configs",
       "LoadBalance:4,LoadBalance:2", "--repeat", "2", "--digest-pattern", "digest ([0-9a-f]+)"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto summary = place.summary();
  CHECK(summary_of(summary, "LoadBalance:4").at("same_result") == "different");
  CHECK(summary_of(summary, "LoadBalance:2").at("same_result") == "same");
  CHECK(summary.at("recommended") == "LoadBalance:2");
  CHECK(summary.at("proven") != "LoadBalance:4");
  CHECK(ended.output.find("LoadBalance:4 computes something else than default") !=
        std::string::npos);
  CHECK(analyzed(place) == summary);
}

}  // namespace
}  // namespace mstune::test
