#include "common/os/pass_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/examine.h"
#include "common/os/file.h"
#include "common/os/pass_library.h"
#include "tests/unit/error_id.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

// An opp/ of its own, removed in the end.
struct Opp {
  fs::path path = make_unique_directory("/tmp", "mstune-opp-");
  PassFolder folder{path};

  Opp() = default;
  ~Opp() { remove_tree(path); }
  Opp(const Opp&) = delete;
  Opp& operator=(const Opp&) = delete;

  [[nodiscard]] fs::path put(const std::string& below_vendors, const std::string& text) const {
    const fs::path file = path / "vendors" / below_vendors;
    make_directory(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  [[nodiscard]] bool is_bare() const { return fs::is_empty(path / "vendors"); }
};

TEST_CASE("pass folder: what GE would load is listed in its order, and nothing else") {
  const Opp opp;
  static_cast<void>(opp.put("zz_mstune/custom_fusion_passes/libmstune_pass.so", "MstunePass"));
  static_cast<void>(opp.put("b/custom_fusion_passes/liby.so", "_auto_multistream_tuning_mode"));
  static_cast<void>(opp.put("b/custom_fusion_passes/libx.so", "x"));
  static_cast<void>(opp.put("b/custom_fusion_passes/notes.txt", "x"));
  static_cast<void>(opp.put("b/op_proto/lib.so", "x"));
  static_cast<void>(opp.put("config.ini", "load_priority=b"));
  const auto passes = opp.folder.list({});
  REQUIRE(passes.size() == 3);
  CHECK(passes[0].path.ends_with("b/custom_fusion_passes/libx.so"));
  CHECK_FALSE(passes[0].writes_mode);
  CHECK(passes[1].path.ends_with("liby.so"));
  CHECK(passes[1].writes_mode);
  CHECK(passes[1].architecture.empty());
  CHECK(passes[2].is_ours);
  CHECK(passes[2].vendor == "zz_mstune");
  CHECK(PassFolder("/nonexistent").list({}).empty());
}

TEST_CASE("pass folder: our pass and the sample's are found where GE does not look") {
  const Opp opp;
  const fs::path stray = opp.put("zz_mstune/libmstune_pass.so", "x");
  static_cast<void>(opp.put("a/custom_fusion_passes/libge_ms_autotune_pass.so", "x"));
  CHECK(opp.folder.strays() == std::vector<std::string>{stray.string()});
}

TEST_CASE("pass folder: a linked custom_fusion_passes is passed over, a linked vendor followed") {
  const Opp opp;
  const fs::path real = opp.path / "elsewhere" / "custom_fusion_passes";
  make_directory(real);
  std::ofstream(real / "libmstune_pass.so") << "x";
  make_directory(opp.path / "vendors" / "zz_mstune");
  const fs::path link = opp.path / "vendors" / "zz_mstune" / "custom_fusion_passes";
  fs::create_directory_symlink(real, link);
  CHECK(opp.folder.list({}).empty());
  CHECK(opp.folder.strays() == std::vector<std::string>{(link / "libmstune_pass.so").string()});
  CHECK(error_id([&] { opp.folder.install("x"); }) == "pass.linked_folder");
  CHECK(error_id([&] { const HeldPass held(opp.folder, "x", "process 1"); }) ==
        "pass.linked_folder");
  CHECK(opp.folder.leases().empty());

  fs::remove_all(opp.path / "vendors" / "zz_mstune");
  fs::create_directory_symlink(opp.path / "elsewhere", opp.path / "vendors" / "zz_mstune");
  CHECK(opp.folder.list({}).size() == 1);
  CHECK(opp.folder.strays().empty());
}

TEST_CASE("pass folder: a directory or a link to nothing counts as a library that cannot load") {
  const Opp opp;
  const fs::path scanned = opp.put("a/custom_fusion_passes/notes.txt", "x").parent_path();
  make_directory(scanned / "directory.so");
  fs::create_symlink("nothing", scanned / "dangling.so");
  const auto passes = opp.folder.list({});
  REQUIRE(passes.size() == 2);
  for (const PassLibrary& pass : passes) {
    CHECK(pass.readable);  // rights are not what is wrong
    CHECK(pass.architecture.empty());
    CHECK_FALSE(pass.is_ours);
  }
}

TEST_CASE("pass folder: install and remove leave nothing behind") {
  const Opp opp;
  CHECK_FALSE(opp.folder.remove());
  opp.folder.install("one");
  opp.folder.install("two");
  CHECK(read_file(opp.folder.library()) == "two");
  CHECK(opp.folder.remove());
  CHECK(opp.is_bare());
}

TEST_CASE("pass folder: the sample's library goes from wherever GE would load it") {
  const Opp opp;
  const fs::path sample = opp.put("x/custom_fusion_passes/libge_ms_autotune_pass.so", "x");
  const fs::path other = opp.put("y/custom_fusion_passes/libother.so", "x");
  CHECK(opp.folder.remove_samples() == std::vector<std::string>{sample.string()});
  CHECK_FALSE(fs::exists(sample.parent_path().parent_path()));
  CHECK(fs::exists(other));
}

TEST_CASE("held pass: it is there while somebody holds it, and the last one removes it") {
  const Opp opp;
  {
    HeldPass first(opp.folder, "bytes", "process 1");
    CHECK(first.is_managed());
    CHECK_FALSE(first.took_over());
    CHECK(error_id([&] { static_cast<void>(opp.folder.remove()); }) == "pass.held");
    HeldPass second(opp.folder, "bytes", "process 2");
    CHECK(opp.folder.leases().size() == 2);
    CHECK_FALSE(first.release());
    CHECK(opp.folder.is_installed());
    CHECK(opp.folder.leases().front().alive);
  }
  CHECK(opp.is_bare());
}

TEST_CASE("held pass: it is not exchanged under whoever tunes with it, by nobody") {
  const Opp opp;
  {
    const HeldPass held(opp.folder, "mine", "process 1");
    CHECK(error_id([&] { opp.folder.install("another"); }) == "pass.held");
    const HeldPass second(opp.folder, "another", "process 2");
    CHECK(read_file(opp.folder.library()) == "mine");
  }
  opp.folder.install("another");
  CHECK(read_file(opp.folder.library()) == "another");
}

TEST_CASE("held pass: one that was installed to stay does stay") {
  const Opp opp;
  opp.folder.install("to stay");
  {
    const HeldPass held(opp.folder, "other", "process 1");
    CHECK_FALSE(held.is_managed());
  }
  CHECK(read_file(opp.folder.library()) == "to stay");
}

TEST_CASE("held pass: what a killed holder left behind is told, and taken over by the next") {
  const Opp opp;
  const pid_t child = ::fork();
  if (child == 0) {
    const HeldPass held(opp.folder, "bytes", "the killed one");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(opp.folder.leases().size() == 1);
  CHECK(opp.folder.leases().front().owner == "the killed one");
  CHECK_FALSE(opp.folder.leases().front().alive);
  SUBCASE("the next holder removes it in the end") {
    {
      const HeldPass next(opp.folder, "bytes", "next");
      CHECK(next.took_over());
      CHECK(opp.folder.leases().size() == 1);
    }
    CHECK(opp.is_bare());
  }
  SUBCASE("its own next life goes on holding it") {
    auto again = HeldPass::take_over(opp.folder, "the killed one");
    REQUIRE(again);
    CHECK(again->is_managed());
    REQUIRE(opp.folder.leases().size() == 1);
    CHECK(opp.folder.leases().front().alive);
    CHECK(read_file(opp.folder.library()) == "bytes");
    again.reset();
    CHECK(opp.is_bare());
  }
  SUBCASE("without the library there is nothing to hold, and the lease goes") {
    fs::remove(opp.folder.library());
    CHECK_FALSE(HeldPass::take_over(opp.folder, "the killed one"));
    CHECK(opp.is_bare());
  }
  SUBCASE("remove clears it") {
    CHECK(opp.folder.remove());
    CHECK(opp.is_bare());
  }
  SUBCASE("install makes it stay") {
    opp.folder.install("to stay");
    CHECK(opp.folder.leases().empty());
    CHECK(opp.folder.is_installed());
  }
}

TEST_CASE("held pass: nobody takes over what nobody held") {
  const Opp opp;
  make_directory(opp.path / "vendors");
  CHECK_FALSE(HeldPass::take_over(opp.folder, "process 1"));
  opp.folder.install("to stay");
  CHECK_FALSE(HeldPass::take_over(opp.folder, "process 1"));
  CHECK(opp.folder.is_installed());
}

TEST_CASE("pass folder: what a crash left half written goes with the next change") {
  const Opp opp;
  static_cast<void>(opp.put("zz_mstune/custom_fusion_passes/.tmp-01", "half"));
  static_cast<void>(opp.put("zz_mstune/leases/.tmp-02", "half"));
  opp.folder.install("bytes");
  CHECK(opp.folder.leases().empty());
  CHECK(opp.folder.remove());
  CHECK(opp.is_bare());
}

TEST_CASE("pass folder: a folder that cannot be changed is told with what to do") {
  const Opp opp;
  const fs::path file = opp.path / "vendors";
  std::ofstream(file) << "a file where a directory should be";
  CHECK(error_id([&] { opp.folder.install("x"); }) == "pass.cannot_change");
}

TEST_CASE("examine: versions, places and variables are those of the toolkit that is named") {
  const Opp opp;
  const fs::path home = opp.path / "cann";
  make_directory(home / "opp" / "vendors");
  make_directory(home / "compiler");
  std::ofstream(home / "compiler" / "version.info") << "Name=x\nVersion=\"8.5.0\"\n";
  ExamineRequest request;
  request.variables = {{"ASCEND_HOME_PATH", home.string()},
                       {"ASCEND_OPP_PATH", (home / "opp").string()},
                       {"PATH", "/nonexistent:/bin"},
                       {"SECRET", "x"},
                       {"GE_MS_TARGET_PASSWORD", "x"}};
  request.work_directory = opp.path / "not" / "yet";
  const BoxFacts facts = examine(request);
  CHECK(facts.home_exists);
  CHECK(facts.opp_exists);
  CHECK(facts.cann_version == "8.5.0");
  CHECK(facts.atc.empty());
  CHECK(facts.work.writable);
  CHECK(facts.work.free_bytes > 0);
  CHECK(facts.variables.size() == 2);
  CHECK(find_program("sh", "/nonexistent:/bin") == "/bin/sh");
  CHECK(split_path_list(":a::b") == std::vector<std::string>{"a", "b"});
}

}  // namespace
}  // namespace mstune::os
