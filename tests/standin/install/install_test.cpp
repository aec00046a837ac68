// The tree of the toolkit and its set_env.sh, in real shells.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/standin/plog/test_support.h"

namespace standin::test {
namespace {

namespace fs = std::filesystem;

const fs::path kToolkit = STANDIN_TOOLKIT;
const std::string kArch = STANDIN_ARCH;

bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

Outcome shell(const std::string& program, const std::string& script) {
  Command command{{program, "-c", script}};
  command.working_directory = kToolkit;
  command.environment = {{"LD_LIBRARY_PATH", "/before"}, {"PYTHONPATH", "/mine"}};
  return run(command);
}

// Variables that the caller does not have at all.
std::string without_variables() {
  return "unset LD_LIBRARY_PATH PYTHONPATH CMAKE_PREFIX_PATH; ";
}

TEST_CASE("install: set_env.sh finds itself from anywhere and sets what CANN sets") {
  const std::string toolkit = kToolkit.string();
  const auto outcome = shell("bash", "cd /; . '" + toolkit + "/set_env.sh' && env");
  CHECK(outcome.succeeded());
  for (const std::string& line :
       {"ASCEND_HOME_PATH=" + toolkit, "ASCEND_TOOLKIT_HOME=" + toolkit,
        "ASCEND_OPP_PATH=" + toolkit + "/opp", "ASCEND_AICPU_PATH=" + toolkit,
        "TOOLCHAIN_HOME=" + toolkit + "/toolkit"}) {
    CHECK(contains(outcome.output, line + "\n"));
  }
  CHECK(contains(outcome.output, "LD_LIBRARY_PATH=" + toolkit + "/lib64:"));
  CHECK(contains(outcome.output, ":/before:" + toolkit + "/devlib\n"));
  CHECK(contains(outcome.output, "PYTHONPATH=" + toolkit + "/python/site-packages:"));
  CHECK(contains(outcome.output, ":/mine\n"));
  CHECK(contains(outcome.output, "PATH=" + toolkit + "/bin:"));
}

TEST_CASE("install: under sh set_env.sh succeeds and points at the working directory") {
  const auto outcome = shell("dash", ". ./set_env.sh && env");
  CHECK(outcome.succeeded());
  CHECK(contains(outcome.output, "ASCEND_HOME_PATH=.\n"));
  CHECK(contains(outcome.output, "ASCEND_OPP_PATH=./opp\n"));
}

TEST_CASE("install: under set -u set_env.sh complains and goes on") {
  const auto outcome =
      shell("bash", without_variables() + "set -u; . ./set_env.sh; echo \"at $ASCEND_HOME_PATH\"");
  CHECK(outcome.succeeded());
  for (const char* name : {"LD_LIBRARY_PATH", "PYTHONPATH", "CMAKE_PREFIX_PATH"}) {
    CHECK(contains(outcome.output, std::string(name) + ": unbound variable\n"));
  }
  CHECK(contains(outcome.output, "at " + kToolkit.string() + "\n"));
}

TEST_CASE("install: set_env.sh leaves set -e as it was") {
  CHECK(shell("bash", "set -e; . ./set_env.sh; false; true").status != 0);
  CHECK(shell("bash", ". ./set_env.sh; false; true").succeeded());
}

TEST_CASE("install: npu-smi is found once set_env.sh was sourced") {
  CHECK(contains(shell("bash", ". ./set_env.sh && npu-smi -v").output, "npu-smi version: "));
}

TEST_CASE("install: include, lib64 and devlib are links into the directory of the architecture") {
  for (const char* name : {"include", "lib64", "devlib"}) {
    CHECK(fs::read_symlink(kToolkit / name) == fs::path(kArch + "-linux") / name);
    CHECK(fs::is_directory(kToolkit / name));
  }
  CHECK(fs::exists(kToolkit / "lib64/libascendalog.so"));
  CHECK(fs::exists(kToolkit / "devlib/libascendalog.so"));
  CHECK(fs::exists(kToolkit / "lib64/stub/libascendalog.so"));
  CHECK(fs::is_directory(kToolkit / "opp/vendors"));
}

TEST_CASE("install: versions stand where CANN has them") {
  const std::string info = content(kToolkit / (kArch + "-linux/ascend_toolkit_install.info"));
  CHECK(info.rfind("package_name=Ascend-cann-toolkit\nversion=9.2.0\n", 0) == 0);
  CHECK(contains(info, "\narch=" + kArch + "\nos=linux\n"));
  CHECK(contains(content(kToolkit / "version.cfg"), "[9.2.0:9.2.0]"));
  for (const char* package : {"opp", "compiler", "runtime"}) {
    CHECK(contains(content(kToolkit / package / "version.info"), "Version=9.2.0\n"));
  }
  CHECK(contains(content(kToolkit / "driver/version.info"), "Version=24.1.0.3\n"));
  CHECK(contains(content(kToolkit / "opp/scene.info"), "os=linux\n"));
  CHECK(contains(content(kToolkit / "opp/scene.info"), "arch=" + kArch + "\n"));
}

}  // namespace
}  // namespace standin::test
