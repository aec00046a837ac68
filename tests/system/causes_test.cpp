// One small program for each way in which a run says too little, and the one cause that is told:
// in trial.json, at the end of the run, and by analyze afterwards, in both languages.
#include <map>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

// By the candidate under which the script does it.
struct Row {
  const char* candidate;
  const char* does;
  const char* code;  // empty: none
  const char* english = "";
  const char* chinese = "";
};

// $RUN is the program under test. What lives for a while can be looked at.
const std::vector<Row> kRows{
    {"default", "exec $RUN", ""},
    {"cv", "exec env -u ASCEND_PROCESS_LOG_PATH bash -c 'sleep 0.6; exec $RUN'", "log_elsewhere",
     "was lost or changed (ASCEND_PROCESS_LOG_PATH)", "日志写到了别处"},
    {"LoadBalance:2",
     "exec env -u GE_AUTO_MULTISTREAM_PARALLEL_MODE bash -c 'sleep 0.6; exec $RUN'",
     "mode_not_passed", "was lost or changed (GE_AUTO_MULTISTREAM_PARALLEL_MODE)",
     "候选没有到达程序"},
    {"LoadBalance:4", "(setsid bash -c 'sleep 30; $RUN' &); exit 0", "program_left",
     "processes running, which were ended with the trial: ", "个仍在运行的进程"},
    {"LoadBalance:8", "STANDIN_FAULT=exit@9 exec $RUN", "tail_missing",
     "its last records are missing", "最后的记录缺失"},
    {"MainStream:2", "STANDIN_FAULT=exec:507014@4 exec $RUN", "device_error",
     "507014: an operator ran too long on an AI core", "507014：某个算子在 AI Core 上执行超时"},
    {"MainStream:4", "STANDIN_FAULT=kill@9 exec $RUN", "out_of_memory",
     "the usual reason is memory", "通常是内存不足"},
    {"WeightedLoadBalance:2",
     "printf '[LOG_WARNING] can not write log to file, file: x, reason: Invalid argument.'; "
     "exec $RUN",
     "disk_full", "its disk is full", "其所在磁盘已满"},
    {"WeightedLoadBalance:4", "echo broken; exit 3", "program_failed", "start its command by hand",
     "请在相同环境中手工启动其命令"},
};

std::string script_of(const Workplace& place) {
  std::string script = "export RUN='" + program("sample_run") + " --steps 20'\n" +
                       "export ASCEND_WORK_PATH='" + place.directory().string() + "'\n" +
                       "case $GE_AUTO_MULTISTREAM_PARALLEL_MODE in\n";
  for (const Row& row : kRows) {
    script += std::string(row.candidate) + ") " + row.does + " ;;\n";
  }
  return script + "esac\n";
}

TEST_CASE("causes: each program that says too little has its own, told alike everywhere") {
  Workplace place;
  place.write("program.sh", script_of(place));
  std::string candidates;
  for (const Row& row : kRows) {
    candidates += std::string(candidates.empty() ? "" : ",") + row.candidate;
  }
  const Ended ended = place.tune({"--run-command", "/bin/bash program.sh", "--configs", candidates,
                                  "--repeat", "1", "--order", "fixed"});
  const Ended chinese =
      place.run({program("mstune"), "analyze", "--lang", "zh", place.run_directory().string()});
  const auto analyzed = nlohmann::json::parse(
      place.run({program("mstune"), "analyze", "--json", place.run_directory().string()}).output);
  INFO(ended.output);
  INFO(chinese.output);
  std::map<std::string, nlohmann::json> written;
  for (const auto& entry : fs::directory_iterator(place.run_directory())) {
    if (fs::exists(entry.path() / "trial.json")) {
      auto trial = nlohmann::json::parse(read_text(entry.path() / "trial.json"));
      written[trial.at("config")] = trial;
    }
  }
  for (const auto& trial : analyzed.at("trials")) {
    CHECK(trial.at("cause") == written.at(trial.at("config")).at("cause"));
  }
  for (const Row& row : kRows) {
    CAPTURE(row.candidate);
    const nlohmann::json& code = written.at(row.candidate).at("cause_code");
    CHECK(code == (*row.code == '\0' ? nlohmann::json(nullptr) : nlohmann::json(row.code)));
    CHECK(ended.output.find(row.english) != std::string::npos);
    CHECK(chinese.output.find(row.chinese) != std::string::npos);
  }
}

TEST_CASE("causes: those of a run stay when its winner is confirmed") {
  Workplace place;
  place.write("program.sh", "[ $GE_AUTO_MULTISTREAM_PARALLEL_MODE = cv ] && exit 3\nexec " +
                                program("sample_run") + " --steps 12\n");
  const Ended tuned = place.tune(
      {"--run-command", "/bin/bash program.sh", "--configs", "LoadBalance:4,cv", "--repeat", "2"});
  INFO(tuned.output);
  const auto causes = [&] {
    std::vector<nlohmann::json> found;
    for (const auto& trial : place.trials()) {
      if (trial.at("config") == "cv") {
        found.push_back(trial.at("cause_code"));
      }
    }
    return found;
  };
  const std::vector<nlohmann::json> before = causes();
  CHECK(before == std::vector<nlohmann::json>(2, "program_failed"));
  const Ended confirmed =
      place.run({program("mstune"), "confirm", place.run_directory().string(), "--rounds", "2"});
  INFO(confirmed.output);
  CHECK(causes() == before);
}

TEST_CASE("causes: a log directory is read whole, whatever a file in it is called") {
  Workplace place;
  fs::create_directories(place.directory() / "logs/run");
  const auto step = [](int number) {
    return "[INFO] GE(42,a):2026-01-01-00:00:00.000.001 [r.cc:1]42 Record:[GE_MS_TUNE][STEP] "
           "api=Run mode=default model_id=1 step=" +
           std::to_string(number) + " start_us=" + std::to_string(number * 1000) +
           " end_us=" + std::to_string(number * 1000 + 500) +
           " cost_us=500 sync_us=1 ret=0 sync_ret=0\n";
  };
  std::string text;
  for (int number = 0; number < 9; ++number) {
    text += step(number);
  }
  place.write("logs/stdout.log", "hello\n");
  place.write("logs/run/plog-42_20260101000000000.log", text);
  const Ended ended = place.run({program("mstune"), "analyze", "default=logs"});
  INFO(ended.output);
  CHECK(ended.status == 0);
}

TEST_CASE("causes: a build that failed shows its last lines and what atc refuses in its path") {
  Workplace place;
  place.write("build.sh", "echo first; echo the reason; exit 255\n");
  const Ended ended =
      place.tune({"--mode", "offline", "--compile-command", "/bin/bash build.sh {om_prefix}",
                  "--run-command", "true {om}", "--configs", "cv", "--om-dir", "a+b"});
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("        | the reason\n") != std::string::npos);
  CHECK(ended.output.find("holds \"+\"") != std::string::npos);
  CHECK(ended.output.find("--om-dir") != std::string::npos);
}

}  // namespace
}  // namespace mstune::test
