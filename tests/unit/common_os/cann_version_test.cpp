#include "common/os/cann_version.h"

#include <doctest/doctest.h>

#include "common/os/examine.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, std::string_view text) {
  make_directory(file.parent_path());
  write_file_atomically(file, text);
}

TEST_CASE("cann version: the toolkit's own file comes first, then those of its parts") {
  const Scratch scratch;
  const fs::path home = scratch.path() / "cann";
  CHECK(cann_version_at(home).empty());
  CHECK(cann_version_at({}).empty());
  put(home / "opp/version.info", "Version=8.0.0\r\nother=1\n");
  CHECK(cann_version_at(home) == "8.0.0");
  put(home / (architecture() + "-linux") / "ascend_toolkit_install.info",
      "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\ninnerversion=V100\n");
  CHECK(cann_version_at(home) == "8.1.RC1");
}

TEST_CASE("cann version: a script beside `latest`, or a link to it, stands for that toolkit") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "ascend-toolkit";
  put(root / "latest/compiler/version.info", "Version=8.2\n");
  put(root / "set_env.sh", "");
  CHECK(cann_version_of_script(root / "set_env.sh") == "8.2");
  make_directory(scratch.path() / "home");
  fs::create_symlink(root / "set_env.sh", scratch.path() / "home/env.sh");
  CHECK(cann_version_of_script(scratch.path() / "home/env.sh") == "8.2");
  CHECK(cann_version_of_script(scratch.path() / "none/env.sh").empty());
}

TEST_CASE("cann version: the doctor, an agent and a campaign name one, wherever it stands") {
  const std::string platform = architecture() + "-linux/ascend_toolkit_install.info";
  for (const std::string& file :
       {platform, std::string("opp/version.info"), std::string("compiler/version.info"),
        std::string("runtime/version.info"), "latest/" + platform}) {
    CAPTURE(file);
    const Scratch scratch;
    const fs::path home = scratch.path() / "cann";
    put(home / file, "package=x\nVersion=\"8.5.0\"\r\n");
    put(home / "set_env.sh", "");
    ExamineRequest request;
    request.variables = {{"ASCEND_HOME_PATH", home.string()}};
    request.work_directory = scratch.path();
    CHECK(cann_version_at(home) == "8.5.0");                        // a campaign
    CHECK(examine(request).cann_version == "8.5.0");                // the doctor
    CHECK(cann_version_of_script(home / "set_env.sh") == "8.5.0");  // an agent
  }
}

}  // namespace
}  // namespace mstune::os
