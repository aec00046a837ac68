#include "agent/cann_environment.h"

#include <doctest/doctest.h>

#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/os/socket.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

// What sourcing it comes to.
std::variant<Environment, Message> sourced(const os::Scratch& scratch, const std::string& path) {
  CannEnvironments environments(scratch.path(), {{"PATH", "/usr/bin:/bin"}});
  for (;;) {
    if (auto found = environments.find(path, "c", os::steady_now())) {
      return std::move(*found);
    }
    os::PollSet poll;
    for (const int descriptor : environments.descriptors()) {
      poll.add(descriptor);
    }
    poll.wait(std::chrono::seconds(10));
    environments.step(os::steady_now());
  }
}

std::string refusal(const os::Scratch& scratch, const std::string& path) {
  const auto outcome = sourced(scratch, path);
  const auto* why = std::get_if<Message>(&outcome);
  return why == nullptr ? "" : why->id;
}

TEST_CASE("cann environment: what cannot be sourced is refused, each by its name") {
  const os::Scratch scratch;
  CHECK(refusal(scratch, scratch.path().string()) == "agent.cann_env_no_file");
  CHECK(refusal(scratch, "/dev/zero") == "agent.cann_env_no_file");
  CHECK(refusal(scratch, (scratch / "none.sh").string()) == "agent.cann_env_missing");
  os::append_to(scratch / "broken.sh", "export A=1\nif true; then\n");
  const auto broken = sourced(scratch, (scratch / "broken.sh").string());
  REQUIRE(std::holds_alternative<Message>(broken));
  CHECK(std::get<Message>(broken).id == "agent.cann_env_failed");
  CHECK(std::get<Message>(broken).text.find("broken.sh") != std::string::npos);
  CHECK(std::get<Message>(broken).text.find("syntax error") != std::string::npos);
}

TEST_CASE("cann environment: one that only ends with a command that failed is sourced") {
  const os::Scratch scratch;
  os::append_to(scratch / "good.sh", "export A=1\nfalse\n");
  const auto outcome = sourced(scratch, (scratch / "good.sh").string());
  REQUIRE(std::holds_alternative<Environment>(outcome));
  CHECK(std::get<Environment>(outcome).at("A") == "1");
}

}  // namespace
}  // namespace mstune::agent
