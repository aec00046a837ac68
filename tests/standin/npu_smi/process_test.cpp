// npu-smi and the device table with real processes.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/standin/plog/test_support.h"

namespace standin::test {
namespace {

namespace fs = std::filesystem;

Command with_state(const fs::path& state, std::vector<std::string> arguments) {
  return {std::move(arguments), {{"STANDIN_STATE_DIR", state.string()}}};
}

Outcome npu_smi(const fs::path& state, std::vector<std::string> arguments = {"info"}) {
  arguments.insert(arguments.begin(), STANDIN_NPU_SMI);
  return run(with_state(state, std::move(arguments)));
}

Command device_user(const fs::path& state, int logic_id, int megabytes) {
  return with_state(state,
                    {STANDIN_DEVICE_DRIVER, std::to_string(logic_id), std::to_string(megabytes)});
}

void write_state(const fs::path& directory, const std::string& json) {
  std::ofstream(directory / "state.json") << json;
}

bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

// The row of a process, up to its name. comm has 15 bytes: "device_driver" fits.
std::string process_row(int card, pid_t pid) {
  std::string number = std::to_string(pid);
  number.resize(14, ' ');
  return "| " + std::to_string(card) + "       0                 | " + number + "| device_driver ";
}

TEST_CASE("npu-smi: a process that uses a device is shown with its memory until it detaches") {
  const TemporaryDirectory state;
  Child child(device_user(state.path(), 1, 500));
  REQUIRE(child.wait_for_output("attached 1\n"));
  const std::string text = npu_smi(state.path()).output;
  CHECK(contains(text, process_row(1, child.pid()) + "           | 500  "));
  CHECK(contains(text, "3897 / 65536 "));
  CHECK(contains(text, "No running processes found in NPU 0 "));
  child.send_byte();
  REQUIRE(child.wait_for_output("detached\n"));
  CHECK(contains(npu_smi(state.path()).output, "No running processes found in NPU 1 "));
}

TEST_CASE("npu-smi: a killed process is gone at once, even while nobody has waited for it") {
  const TemporaryDirectory state;
  Child child(device_user(state.path(), 0, 500));
  REQUIRE(child.wait_for_output("attached 1\n"));
  child.signal(SIGKILL);
  CHECK_FALSE(child.wait_for_output("detached\n"));  // the end of its output
  CHECK(eventually([&] {
    return contains(npu_smi(state.path()).output, "No running processes found in NPU 0 ");
  }));
}

TEST_CASE("npu-smi: an entry of an earlier process with a reused pid does not count") {
  const TemporaryDirectory state;
  Child child(device_user(state.path(), 0, 500));
  REQUIRE(child.wait_for_output("attached 1\n"));
  const fs::path entry = state.path() / "processes/0" / std::to_string(child.pid());
  REQUIRE(fs::exists(entry));
  std::ofstream(entry) << "1 524288000\n";  // started one tick after the machine
  CHECK(contains(npu_smi(state.path()).output, "No running processes found in NPU 0 "));
  CHECK_FALSE(fs::exists(entry));
}

TEST_CASE("npu-smi: processes that attach at the same time are all seen, by each other too") {
  const TemporaryDirectory state;
  constexpr int process_count = 12;
  std::vector<std::unique_ptr<Child>> children;
  for (int index = 0; index < process_count; ++index) {
    children.push_back(std::make_unique<Child>(device_user(state.path(), 0, 10)));
  }
  for (const auto& child : children) {
    CHECK(child->wait_for_output("attached "));
  }
  const std::string text = npu_smi(state.path()).output;
  for (const auto& child : children) {
    CHECK(contains(text, process_row(0, child->pid())));
  }
  Child last(device_user(state.path(), 0, 10));
  CHECK(last.wait_for_output("attached " + std::to_string(process_count + 1) + "\n"));
}

TEST_CASE("npu-smi: processes of the state file are shown, with or without memory") {
  const TemporaryDirectory state;
  write_state(state.path(), R"({"devices":[
      {"processes":[{"pid":961,"name":"VllmWorker TP1","memory_mb":60000}]},
      {"processes":[{"pid":961,"name":"VllmWorker TP1"}]}]})");
  const std::string text = npu_smi(state.path()).output;
  CHECK(contains(
      text, "| 0       0                 | 961           | VllmWorker TP1           | 60000 "));
  CHECK(contains(text,
                 "| 1       0                 | 961           | VllmWorker TP1           | 0 "));
  CHECK(contains(text, "63397/ 65536"));
  Child child(device_user(state.path(), 0, 10));
  CHECK(child.wait_for_output("attached 1\n"));  // what the file adds does not compute
}

TEST_CASE("npu-smi: a device that does not exist is refused") {
  const TemporaryDirectory state;
  CHECK(contains(run(device_user(state.path(), 2, 10)).output, "refused"));
  CHECK(contains(run(device_user(state.path(), -1, 10)).output, "refused"));
}

TEST_CASE("npu-smi: it fails as the real one does when the driver does not answer") {
  const TemporaryDirectory state;
  write_state(state.path(), R"({"failure":"dcmi model initialized failed, ret is -8005"})");
  const auto outcome = npu_smi(state.path());
  CHECK_FALSE(outcome.succeeded());
  CHECK(contains(outcome.output, "dcmi model initialized failed"));
}

TEST_CASE("npu-smi: arguments that make no sense and broken state files fail") {
  const TemporaryDirectory state;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"list"},
                                                    {"info", "-t"},
                                                    {"info", "-t", "board"},
                                                    {"info", "-t", "board", "-i", "x"},
                                                    {"info", "-x", "1"},
                                                    {"info", "-t", "health", "-i", "9"}}) {
    CHECK_FALSE(npu_smi(state.path(), arguments).succeeded());
  }
  write_state(state.path(), "{");
  CHECK_FALSE(npu_smi(state.path()).succeeded());
}

TEST_CASE("npu-smi: every documented query answers") {
  const TemporaryDirectory state;
  CHECK(npu_smi(state.path(), {"-v"}).output == "npu-smi version: 24.1.0.3\n");
  CHECK(contains(npu_smi(state.path(), {"info", "-l"}).output, "Total Count"));
  CHECK(contains(npu_smi(state.path(), {"info", "-m"}).output, "Chip Logic ID"));
  for (const char* topic : {"board", "health", "proc-mem", "temp", "power", "common", "usages"}) {
    CHECK(npu_smi(state.path(), {"info", "-t", topic, "-i", "1", "-c", "0"}).succeeded());
  }
}

TEST_CASE("npu-smi: without any environment the state is that of the toolkit it stands in") {
  const TemporaryDirectory copy;
  fs::create_directories(copy.path() / "bin");
  fs::create_directories(copy.path() / "state");
  fs::copy_file(STANDIN_NPU_SMI, copy.path() / "bin/npu-smi");
  std::ofstream(copy.path() / "set_env.sh") << "";
  write_state(copy.path() / "state", R"({"device_count":5})");
  const auto outcome = run({{(copy.path() / "bin/npu-smi").string(), "info", "-l"}});
  CHECK(contains(outcome.output, "Total Count                    : 5\n"));
  const auto by_path =
      run({{"env", "PATH=" + (copy.path() / "bin").string(), "npu-smi", "info", "-l"}});
  CHECK(contains(by_path.output, "Total Count                    : 5\n"));
}

}  // namespace
}  // namespace standin::test
