#include "agent/container_end.h"

#include <doctest/doctest.h>

#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/words.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

std::string with_file(const std::string& command) {
  return join_words(with_container_file(split_words(command, "the command"), "/t/container"));
}

TEST_CASE("container: a runtime's run gets a file for the id, and nothing else does") {
  CHECK(with_file("docker run --rm img infer") ==
        "docker run --cidfile=/t/container --rm img infer");
  CHECK(with_file("/usr/bin/podman --log-level error run img") ==
        "/usr/bin/podman --log-level error run --cidfile=/t/container img");
  CHECK(with_file("nerdctl container run img") ==
        "nerdctl container run --cidfile=/t/container img");
  CHECK(with_file("docker run --cidfile /x img") == "docker run --cidfile /x img");
  CHECK(with_file("docker run --cidfile=/x img") == "docker run --cidfile=/x img");
  CHECK(with_file("docker ps") == "docker ps");
  CHECK(with_file("python3 run") == "python3 run");
  CHECK(with_container_file({}, "/t").empty());
}

TEST_CASE("container: the file is the one that the command names") {
  CHECK(container_file({"docker", "run", "--cidfile", "/x", "img"}) == "/x");
  CHECK(container_file({"podman", "run", "--cidfile=y", "img"}) == "y");
  CHECK(container_file({"podman", "run", "img"}).empty());
  CHECK(container_file({"sh", "-c", "docker run --cidfile=y img"}).empty());
  CHECK(container_file({"docker", "run", "--cidfile"}).empty());
}

TEST_CASE("container: the runtime is told to kill what stands in the file") {
  const os::Scratch scratch;
  const std::string runtime = scratch / "docker";
  const std::string told = scratch / "told";
  os::append_to(runtime, "#!/bin/sh\necho \"$@\" > " + told + "\n");
  std::filesystem::permissions(runtime, std::filesystem::perms::owner_all);
  os::append_to(scratch / "id", "4711abc");
  ContainerEnd end(runtime, scratch / "id", {{"PATH", "/usr/bin:/bin"}}, os::steady_now());
  while (!end.step(os::steady_now())) {
    os::wait_readable(end.descriptors().empty() ? 0 : end.descriptors().front(),
                      std::chrono::milliseconds(50));
  }
  CHECK(os::read_file(told) == "kill 4711abc\n");
  CHECK(end.deadline() == kNever);

  ContainerEnd none(runtime, scratch / "absent", {}, os::steady_now());
  CHECK(none.step(os::steady_now()));
  ContainerEnd gone("/nowhere/docker", scratch / "id", {}, os::steady_now());
  CHECK(gone.step(os::steady_now()));
}

}  // namespace
}  // namespace mstune::agent
