#include "coordinator/commands/pass.h"

#include <optional>
#include <ostream>

#include <fmt/ranges.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/examine.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/version.h"
#include "coordinator/doctor/checks.h"
#include "coordinator/doctor/report.h"
#include "coordinator/inquiry.h"
#include "coordinator/pass_place.h"

namespace mstune::coordinator {
namespace {

constexpr Duration kConnectMax = std::chrono::seconds(10);

struct PassOptions {
  std::string library;
  std::string target_file;
  bool sample = false;
  bool json = false;
};

std::optional<Target> target_of(const PassOptions& options) {
  if (options.target_file.empty()) {
    return std::nullopt;
  }
  return parse_target(os::read_file(options.target_file), options.target_file);
}

// What the doctor says of passes alone.
Diagnosis diagnose_passes(const BoxFacts& facts) {
  Findings findings;
  check_passes(facts, {.compiles = true, .runs = false, .offline = false}, findings);
  return {said(message("pass.title", "custom passes below {} ({})",
                       value_of(facts.variables, "ASCEND_OPP_PATH"), facts.host)),
          std::move(findings).take()};
}

Diagnosis look(const PassOptions& options, World& world) {
  if (const auto target = target_of(options)) {
    return diagnose_passes(
        Inquiry(*target, world.environment, kConnectMax).examine(target->cann_env).facts);
  }
  os::ExamineRequest request;
  request.variables = variables_of(world.environment);
  request.work_directory = "/";
  request.software = kVersion;
  static_cast<void>(pass_folder(request.variables));  // says what to do without one
  return diagnose_passes(os::examine(request));
}

// From sources to a figure: what to do on a machine that is new.
Message whole_chain() {
  return message("pass.whole_chain",
                 "To check the whole chain on a new box: build the pass and the samples (cmake -S "
                 "samples -B build-samples && cmake --build build-samples), run mstune doctor, and "
                 "then mstune tune --run-command build-samples/sample_run; if GE did not load the "
                 "pass, doctor names the cause and tune says that no run has a STEP record.");
}

// The path of the library that is in place now.
std::string put_in_place(const PassOptions& options, World& world) {
  if (const auto target = target_of(options)) {
    Inquiry inquiry(*target, world.environment, kConnectMax);
    return inquiry
        .manage_pass({protocol::kPassInstall, target->cann_env, {}},
                     find_pass_library(options.library, inquiry.welcome().architecture))
        .path;
  }
  const os::PassFolder folder = pass_folder(variables_of(world.environment));
  folder.install(find_pass_library(options.library, os::architecture()));
  return folder.library().string();
}

int install(const PassOptions& options, World& world) {
  world.out << said(message(
                   "pass.installed",
                   "installed {}: from now on every program of that CANN that is started with "
                   "GE_AUTO_MULTISTREAM_PARALLEL_MODE is recorded step by step; remove it when "
                   "you have tuned",
                   put_in_place(options, world)))
            << '\n';
  const Diagnosis diagnosis = look(options, world);
  world.out << diagnosis_text({diagnosis}) << said(whole_chain()) << '\n';
  return has_failure({diagnosis}) ? 1 : 0;
}

int remove_samples(const PassOptions& options, World& world) {
  std::string removed;
  if (const auto target = target_of(options)) {
    removed = Inquiry(*target, world.environment, kConnectMax)
                  .manage_pass({protocol::kPassRemoveSamples, target->cann_env, {}}, {})
                  .path;
  } else {
    const os::PassFolder folder = pass_folder(variables_of(world.environment));
    removed = fmt::format("{}", fmt::join(folder.remove_samples(), ", "));
  }
  world.out << said(removed.empty() ? message("pass.no_sample", "the sample's pass is not there")
                                    : message("pass.removed", "removed {}", removed))
            << '\n';
  return 0;
}

int remove(const PassOptions& options, World& world) {
  std::string path;
  bool was_there = false;
  if (const auto target = target_of(options)) {
    const auto done = Inquiry(*target, world.environment, kConnectMax)
                          .manage_pass({protocol::kPassRemove, target->cann_env, {}}, {});
    path = done.path;
    was_there = done.was_there;
  } else {
    const os::PassFolder folder = pass_folder(variables_of(world.environment));
    path = folder.library().string();
    was_there = folder.remove();
  }
  world.out << said(was_there ? message("pass.removed", "removed {}", path)
                              : message("pass.not_there", "{} is not there", path))
            << '\n';
  return 0;
}

int status(const PassOptions& options, World& world) {
  const Diagnosis diagnosis = look(options, world);
  world.out << (options.json ? diagnosis_json({diagnosis})
                             : diagnosis_text({diagnosis}) + said(whole_chain()) + '\n');
  return has_failure({diagnosis}) ? 1 : 0;
}

}  // namespace

Subcommand pass_command() {
  const cli::Option target{
      .name = "--target",
      .kind = cli::Kind::path,
      .field = cli::into<&PassOptions::target_file>,
      .level = cli::Level::basic,
      .text = {"On the agent's machine, for online runs there: the target file",
               "在代理所在机器上，用于那里的在线运行：目标文件"}};
  return {{.name = "pass",
           .text = {"Install, remove or look at the tuning pass where GE loads it",
                    "在 GE 加载的位置安装、移除或查看调优 pass"},
           .commands = {{.name = "install",
                         .text = {"Put the pass in place", "把 pass 放到位"},
                         .options = {{.name = "--library",
                                      .kind = cli::Kind::path,
                                      .field = cli::into<&PassOptions::library>,
                                      .level = cli::Level::basic,
                                      .text = {"The library that cmake built from pass/ (default: "
                                               "looked for)",
                                               "cmake 从 pass/ 构建的库（默认自动寻找）"}},
                                     target}},
                        {.name = "remove",
                         .text = {"Take the pass away", "移走 pass"},
                         .options = {target,
                                     {.name = "--sample",
                                      .field = cli::into<&PassOptions::sample>,
                                      .level = cli::Level::basic,
                                      .text = {"Take away that of CANN's sample "
                                               "multi_stream_autotune instead",
                                               "改为移走 CANN 样例 multi_stream_autotune 的 "
                                               "pass"}}}},
                        {.name = "status",
                         .text = {"Look at all passes", "查看所有 pass"},
                         .options = {target,
                                     {.name = "--json",
                                      .field = cli::into<&PassOptions::json>,
                                      .level = cli::Level::basic,
                                      .text = {"Print one JSON document and nothing else",
                                               "只打印一个 JSON 文档"}}}}}},
          [](const cli::Line& line, World& world) {
            const auto options = line.options<PassOptions>();
            if (line.command().name == "install") {
              return install(options, world);
            }
            if (line.command().name == "status") {
              return status(options, world);
            }
            return options.sample ? remove_samples(options, world) : remove(options, world);
          }};
}

}  // namespace mstune::coordinator
