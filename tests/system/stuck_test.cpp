// A process that no signal ends (state D): its device is not used any more.
#include <csignal>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/hung_mount.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("stuck: a process that cannot be killed costs its device, which is said, and no more") {
  FaultPlace faults({"--devices", "0-1"});
  const fs::path mount = faults.directory() / "mount";
  auto hung = HungMount::make(mount);
  if (!hung) {
    MESSAGE("skipped: FUSE cannot be mounted here");
    return;
  }
  // The first trial hangs, the others do not.
  faults.place().write("hang.sh", "mkdir " + (faults.directory() / "first").string() +
                                      " 2> /dev/null || exec " + faults.steps_command(10, 1) +
                                      "\ncat " + (mount / "file").string() + "\n");
  const Ended ended =
      faults.start("/bin/bash " + (faults.directory() / "hang.sh").string(), {"--timeout", "2"})
          .wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("(cat) of this trial cannot be killed (state D)") != std::string::npos);
  CHECK(ended.output.find("nothing more runs on device") != std::string::npos);
  const auto summary = faults.place().summary();
  CHECK(summary.at("trials").size() == 4);
  std::size_t without_work = 0;
  for (const auto& device : summary.at("devices")) {
    const bool given_up = !device.at("why").get<std::string>().empty();
    without_work += given_up ? 1U : 0U;
    CHECK(device.at("valid_trials") == (given_up ? 0 : 4));
  }
  CHECK(without_work == 1);

  const Ended agents = faults.place().run({program("mstune"), "agents", "--target", "target.json"});
  INFO(agents.output);
  CHECK(agents.output.find("unusable") != std::string::npos);

  // Let go of, it dies at last, and the agent takes the device back by itself.
  hung.reset();
  CHECK(eventually([&] { return processes_with((mount / "file").string()).empty(); }));
  CHECK(eventually([&] {
    return faults.agent().output().find("its device is used again") != std::string::npos;
  }));
  fs::remove_all(faults.directory() / "out");
  const Ended again = faults.start(faults.steps_command(10, 1)).wait();
  INFO(again.output);
  CHECK(again.status == 0);
  const auto devices = faults.place().summary().at("devices");
  REQUIRE(devices.size() == 2);
  CHECK(devices.at(0).at("valid_trials") == 2);
  CHECK(devices.at(1).at("valid_trials") == 2);
  CHECK(faults.stop_agent() == 0);
}

}  // namespace
}  // namespace mstune::test
