// What people and programs read of a run: report, export, compare, documents, the live view.
#include <algorithm>
#include <csignal>

#include <doctest/doctest.h>

#include "tests/system/box.h"
#include "tests/system/screen.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

const std::string kSources = MSTUNE_SOURCES;
constexpr const char* kPython = "/usr/bin/python3";  // the one that Debian's packages are for
constexpr int kSkipped = 77;

std::vector<std::string> online(std::vector<std::string> more) {
  more.insert(more.begin(), {"--run-command", program("sample_run") + " --steps 12"});
  return more;
}

const std::vector<std::string> kSmall = online({"--configs", "LoadBalance:4,cv", "--repeat", "2"});

// Documents that are held against their schemas at once: starting the validator is what takes time.
class Documents {
 public:
  explicit Documents(Workplace& place) : place_(place) {}

  // `schema` with a '*' behind it: `text` has a document in each line.
  void add(const std::string& schema, const std::string& name, const std::string& text) {
    place_.write(name, text);
    arguments_.push_back(schema + "=" + (place_.directory() / name).string());
  }

  [[nodiscard]] Ended validate() const {
    std::vector<std::string> command{kPython, kSources + "/tests/schema/validate.py",
                                     kSources + "/docs/schema"};
    command.insert(command.end(), arguments_.begin(), arguments_.end());
    return place_.run(command);
  }

  void check() const {
    const Ended ended = validate();
    INFO(ended.output);
    CHECK(ended.status == 0);
  }

 private:
  Workplace& place_;
  std::vector<std::string> arguments_;
};

TEST_CASE("reading: every JSON document fits its published schema, with no key besides") {
  Workplace place;
  const Ended tuned =
      place.tune(online({"--configs", "LoadBalance:4", "--repeat", "2", "--aa", "--confirm", "2",
                         "--drop-first", "auto", "--order", "fixed"}));
  INFO(tuned.output);
  REQUIRE(tuned.status == 0);
  const fs::path run = place.run_directory();
  Documents documents(place);
  documents.add("campaign", "campaign", read_text(run / "campaign.json"));
  documents.add("summary", "summary", read_text(run / "summary.json"));
  documents.add("trial", "trial", read_text(run / "trial_000_default_r1/trial.json"));
  const auto printed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), program("mstune"));
    const Ended ended = place.run(words);
    CHECK(ended.status == 0);
    return ended.output;
  };
  documents.add("summary", "analyzed", printed({"analyze", run.string(), "--json"}));
  documents.add("export", "export", printed({"export", run.string(), "--json"}));
  documents.add("export", "export_default",
                printed({"export", run.string(), "--json", "--config", "default"}));
  documents.add("compare", "compare", printed({"compare", run.string(), run.string(), "--json"}));
  documents.check();
  // The check itself: a key that nobody described is found.
  documents.add("export", "wrong", "{\"config\": \"cv\", \"surprise\": 1}");
  CHECK(documents.validate().status == 1);
}

TEST_CASE("reading: what doctor, pass status and agents print as JSON fits its schema") {
  Workplace place;
  Box box(place, "box", {"--devices", "auto"});
  write_inventory(place, {box.port()});
  place.write("target.json", R"({"host": "127.0.0.1", "insecure": true, "port": )" + box.port() +
                                 R"(, "run_command": "true"})");
  Documents documents(place);
  const auto printed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), program("mstune"));
    words.emplace_back("--json");
    return place.run(words).output;  // a finding makes an exit status, too
  };
  documents.add("doctor", "here", printed({"doctor"}));
  const std::string there = printed({"doctor", "--target", "target.json"});
  CHECK(there.find("\"device.health\"") != std::string::npos);
  documents.add("doctor", "there", there);
  documents.add("doctor", "status", printed({"pass", "status"}));
  documents.add("doctor", "status_there", printed({"pass", "status", "--target", "target.json"}));
  const std::string agents = printed({"agents", "--inventory", "boxes.json"});
  CHECK(agents.find("Ascend910B2") != std::string::npos);
  documents.add("agents", "agents", agents);
  documents.check();
}

TEST_CASE("reading: --json-lines prints events and nothing else, each fits its schema") {
  Workplace place;
  auto arguments = kSmall;
  arguments.emplace_back("--json-lines");
  const Ended tuned = place.tune(arguments);
  REQUIRE(tuned.status == 0);
  INFO(tuned.output);
  Documents events(place);
  events.add("event*", "events", tuned.output);
  events.check();
  CHECK(tuned.output.starts_with("{\"event\":\"campaign\""));
  const auto last = tuned.output.rfind("{\"event\":\"finished\"");
  REQUIRE(last != std::string::npos);
  CHECK(std::count(tuned.output.begin() + static_cast<std::ptrdiff_t>(last), tuned.output.end(),
                   '\n') == 1);
}

TEST_CASE("reading: the last event is the last also after Ctrl-C") {
  Workplace place;
  place.environment()["STANDIN_TIME_SCALE"] = "20";
  auto arguments = kSmall;
  arguments.emplace_back("--json-lines");
  Running tune = place.start_tune(arguments);
  CHECK(eventually([&] { return tune.output().find("trial_done") != std::string::npos; }));
  tune.signal(SIGINT);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 130);
  CHECK(ended.output.find("--resume") < ended.output.rfind("{\"event\":\"finished\""));
  CHECK(ended.output.ends_with("\n"));
  CHECK(ended.output.rfind("{\"event\":\"finished\"") ==
        ended.output.rfind('\n', ended.output.size() - 2) + 1);
}

TEST_CASE("reading: --quiet prints the result and nothing before it; no control characters") {
  Workplace place;
  auto arguments = kSmall;
  arguments.emplace_back("--quiet");
  const Ended tuned = place.tune(arguments);
  INFO(tuned.output);
  CHECK(tuned.status == 0);
  CHECK(tuned.output.starts_with("\nCandidates by median step time:\n"));
  CHECK(std::none_of(tuned.output.begin(), tuned.output.end(),
                     [](char c) { return c != '\n' && static_cast<unsigned char>(c) < ' '; }));
}

void look_at(Workplace& place, const fs::path& report) {
  const Ended looked = place.run({kPython, kSources + "/tests/browser/report_test.py",
                                  report.string(), (place.directory() / "pictures").string()});
  if (looked.status == kSkipped) {
    MESSAGE("not looked at in a browser: ", looked.output);
    return;
  }
  INFO(looked.output);
  CHECK(looked.status == 0);
}

TEST_CASE("reading: tune writes the report, and it is right in a real browser") {
  Workplace place;
  const Ended tuned = place.tune(online({"--streams", "2,4", "--repeat", "2"}));
  INFO(tuned.output);
  REQUIRE(tuned.status == 0);
  const fs::path report = place.run_directory() / "report.html";
  const std::string written = read_text(report);
  CHECK(written.find("\"LoadBalance:4\"") != std::string::npos);
  // The command writes the same again.
  const fs::path again = place.directory() / "again.html";
  const Ended reported = place.run(
      {program("mstune"), "report", place.run_directory().string(), "--output", again.string()});
  INFO(reported.output);
  CHECK(reported.status == 0);
  CHECK(read_text(again) == written);
  look_at(place, report);
}

TEST_CASE("reading: the report of several devices with void trials is right in a browser as well") {
  Workplace place;
  Box box(place, "box", {"--devices", "0,1"});
  write_inventory(place, {box.port()});
  place.write("run.sh", "[ $GE_AUTO_MULTISTREAM_PARALLEL_MODE = cv ] && exit 3\nexec " +
                            program("sample_run") + " --steps 12\n");
  const Ended tuned =
      place.tune({"--run-command", "/bin/bash " + (place.directory() / "run.sh").string(),
                  "--inventory", "boxes.json", "--configs", "LoadBalance:2,LoadBalance:4,cv",
                  "--repeat", "2", "--spread", "replicate"});
  INFO(tuned.output);
  REQUIRE(tuned.status == 0);
  const fs::path run = place.run_directory();
  Documents documents(place);
  documents.add("summary", "summary", read_text(run / "summary.json"));
  documents.check();
  const std::string report = read_text(run / "report.html");
  CHECK(report.find("the program ended with exit status 3") != std::string::npos);
  look_at(place, run / "report.html");
}

TEST_CASE("reading: export says what to set, compare what changed") {
  Workplace first;
  REQUIRE(first.tune(kSmall).status == 0);
  Workplace second;
  auto arguments = kSmall;
  arguments.insert(arguments.end(), {"--min-steps", "6"});
  REQUIRE(second.tune(arguments).status == 0);
  const Ended exported = first.run(
      {program("mstune"), "export", first.run_directory().string(), "--config", "LoadBalance:4"});
  INFO(exported.output);
  CHECK(exported.status == 0);
  CHECK(exported.output.find("ge.autoMultistreamParallelMode=LoadBalance:4\n") !=
        std::string::npos);
  CHECK(exported.output.find("--multi_stream_parallel_mode=LoadBalance:4\n") != std::string::npos);
  const Ended unknown = first.run(
      {program("mstune"), "export", first.run_directory().string(), "--config", "MainStream:9"});
  CHECK(unknown.status == 2);
  CHECK(unknown.output.find("MainStream:9 is no candidate of") != std::string::npos);
  const Ended compared = first.run({program("mstune"), "compare", first.run_directory().string(),
                                    second.run_directory().string()});
  INFO(compared.output);
  CHECK(compared.status == 0);
  CHECK(compared.output.find("  min_steps  ") != std::string::npos);
  CHECK(compared.output.find("  LoadBalance:4  ") != std::string::npos);
}

// mstune at a terminal of this size; what it wrote, as it wrote it.
Ended at_terminal(Workplace& place, const std::string& columns, const Variables& more,
                  const std::vector<std::string>& command) {
  std::string script = "stty cols " + columns + " rows 20\n";
  for (const auto& [name, value] : more) {
    script.append("export ").append(name).append("=").append(value).append("\n");
  }
  script += "exec " + program("mstune");
  for (const std::string& word : command) {
    script += " '" + word + "'";
  }
  place.write("session.sh", script + "\n");
  const std::string session = (place.directory() / "session.sh").string();
  return place.run({"script", "-qec", "sh " + session, "/dev/null"});
}

Ended tune_at_terminal(Workplace& place, const std::string& columns, const Variables& more) {
  std::vector<std::string> command{"tune", "--output-dir", (place.directory() / "out").string()};
  command.insert(command.end(), kSmall.begin(), kSmall.end());
  return at_terminal(place, columns, more, command);
}

TEST_CASE("reading: a terminal shows a live view that fits, and keeps no trace of it") {
  Workplace place;
  const Ended ended = tune_at_terminal(
      place, "60", {{"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}, {"STANDIN_TIME_SCALE", "10"}});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("\u25b8 ") != std::string::npos);  // a trial that runs
  CHECK(ended.output.find("trial 1 of 6") != std::string::npos);
  CHECK(ended.output.find("\x1b[J") != std::string::npos);
  const std::string left = screen_after(ended.output);
  INFO(left);
  CHECK(left.find('\x1b') == std::string::npos);
  CHECK(left.find("\u25b8 ") == std::string::npos);
  CHECK(left.find("trial 1 of 6") == std::string::npos);
  CHECK(left.find("[005] ") != std::string::npos);  // each trial, once
  CHECK(left.find("Candidates by median step time:") != std::string::npos);
}

TEST_CASE("reading: confirm shows the same live view") {
  Workplace place;
  REQUIRE(place.tune(kSmall).status == 0);
  const Ended ended = at_terminal(place, "60", {{"TERM", "xterm"}, {"STANDIN_TIME_SCALE", "10"}},
                                  {"confirm", place.run_directory().string(), "--rounds", "2"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("trial 1 of 8") != std::string::npos);
  CHECK(ended.output.find("LoadBalance:4    1/1") != std::string::npos);
  const std::string left = screen_after(ended.output);
  INFO(left);
  CHECK(left.find("trial 1 of 8") == std::string::npos);
  CHECK(left.find('\x1b') == std::string::npos);
}

TEST_CASE("reading: NO_COLOR and a locale without UTF-8 are heeded at a terminal") {
  Workplace place;
  const Ended ended =
      tune_at_terminal(place, "40", {{"TERM", "xterm"}, {"LC_ALL", "C"}, {"NO_COLOR", "1"}});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("\x1b[J") != std::string::npos);
  CHECK(ended.output.find("\x1b[32m") == std::string::npos);
  CHECK(ended.output.find("\x1b[2m") == std::string::npos);
  CHECK(std::none_of(ended.output.begin(), ended.output.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
}

}  // namespace
}  // namespace mstune::test
