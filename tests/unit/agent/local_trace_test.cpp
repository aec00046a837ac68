#include "agent/local_trace.h"

#include <csignal>

#include <doctest/doctest.h>

#include "agent/work_directory.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/process_table.h"
#include "tests/unit/common_os/programs.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

os::ProcessKey key_of(pid_t id) {
  os::ProcessInfo found;
  REQUIRE(os::look_up(id, found));
  return found.key;
}

std::size_t traces_in(const fs::path& directory) {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    files += entry.is_regular_file() &&
                     entry.path().parent_path().filename().string().starts_with("mstune-agents-")
                 ? 1U
                 : 0U;
  }
  return files;
}

// What an agent leaves that was killed: its trace, its directory, and a program that runs on.
struct Left {
  explicit Left(const os::Scratch& scratch, const LocalAgentTrace& who)
      : work_dir(scratch / "mstune-left"), program([] {
          os::SpawnRequest request = os::script("trap '' TERM; echo ready; sleep 60");
          request.environment.push_back("MSTUNE_TRIAL=0001-1");
          return os::Process(request);
        }()) {
    os::wait_readable(program.output(), os::kSoon);
    fs::create_directories(work_dir / "trials" / "0001-1");
    fs::permissions(work_dir, fs::perms::owner_all);
    LocalAgentTrace trace = who;
    trace.work_dir = work_dir;
    const fs::path traces = scratch / fmt::format("mstune-agents-{}", ::getuid());
    os::make_private_directory(traces);
    os::write_file_atomically(traces / "1", trace_text(trace));
  }
  fs::path work_dir;
  os::Process program;
};

TEST_CASE("local trace: what it tells is read as it was written, and nothing that is cut") {
  const LocalAgentTrace trace{"boot", {4, 5}, {6, 7}, "/tmp/mstune-a b"};
  const std::string text = trace_text(trace);
  const auto read = parse_trace(text);
  REQUIRE(read);
  CHECK(read->boot_id == "boot");
  CHECK(read->agent == trace.agent);
  CHECK(read->coordinator == trace.coordinator);
  CHECK(read->work_dir == trace.work_dir);
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(parse_trace(std::string_view(text).substr(0, size)));
  }
  CHECK_FALSE(parse_trace("boot 4 5 6 7 8\n/tmp/mstune-a\n"));
  CHECK_FALSE(parse_trace("boot 4 5 6 x\n/tmp/mstune-a\n"));
}

TEST_CASE("local trace: an agent that lives leaves one, and takes it away") {
  const os::Scratch scratch;
  {
    const LocalTrace trace(scratch.path(), scratch / "mstune-work");
    CHECK(traces_in(scratch.path()) == 1);
    CHECK(trace.notices().empty());
  }
  CHECK(traces_in(scratch.path()) == 0);
}

TEST_CASE("local trace: the programs of an agent that was killed are ended by the next one") {
  const os::Scratch scratch;
  Left left(scratch, {os::boot_id(), {1 << 22, 1}, {1 << 22, 1}, {}});
  const LocalTrace trace(scratch.path(), scratch / "mstune-work");
  CHECK(left.program.has_exited());
  CHECK_FALSE(fs::exists(left.work_dir));
  CHECK(traces_in(scratch.path()) == 1);  // the own one
  REQUIRE(trace.notices().size() == 1);
}

TEST_CASE("local trace: an agent whose coordinator lives is left alone") {
  const os::Scratch scratch;
  os::Process agent(os::script("sleep 60"));
  Left left(scratch, {os::boot_id(), key_of(agent.id()), key_of(::getpid()), {}});
  const LocalTrace trace(scratch.path(), scratch / "mstune-work");
  CHECK_FALSE(left.program.has_exited());
  CHECK(fs::exists(left.work_dir));
  CHECK(traces_in(scratch.path()) == 2);
}

TEST_CASE("local trace: an agent that has lost its coordinator is waited for, and no longer") {
  const os::Scratch scratch;
  os::Process agent(os::script("trap '' TERM; sleep 60"));
  Left left(scratch, {os::boot_id(), key_of(agent.id()), {1 << 22, 1}, {}});
  const LocalTrace trace(scratch.path(), scratch / "mstune-work", std::chrono::milliseconds(50));
  CHECK(agent.has_exited());
  CHECK(left.program.has_exited());
  CHECK_FALSE(fs::exists(left.work_dir));
}

TEST_CASE("local trace: of another boot nothing runs any more, and the directory is removed") {
  const os::Scratch scratch;
  Left left(scratch, {"another-boot", key_of(::getpid()), key_of(::getpid()), {}});
  fs::remove(left.work_dir / "trials" / "0001-1");  // whose name would be that of its processes
  const LocalTrace trace(scratch.path(), scratch / "mstune-work");
  CHECK_FALSE(fs::exists(left.work_dir));
}

TEST_CASE("local trace: a directory that no such agent makes is not touched") {
  const os::Scratch scratch;
  Left left(scratch, {os::boot_id(), {1 << 22, 1}, {1 << 22, 1}, {}});
  const fs::path traces = scratch / fmt::format("mstune-agents-{}", ::getuid());
  fs::rename(left.work_dir, scratch / "precious");
  os::write_file_atomically(
      traces / "1", trace_text({os::boot_id(), {1 << 22, 1}, {1 << 22, 1}, scratch / "precious"}));
  const LocalTrace trace(scratch.path(), scratch / "mstune-work");
  CHECK(fs::exists(scratch / "precious" / "trials"));
  CHECK(traces_in(scratch.path()) == 1);
}

}  // namespace
}  // namespace mstune::agent
