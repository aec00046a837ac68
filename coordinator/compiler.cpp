#include "coordinator/compiler.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/os/socket.h"
#include "common/os/tree_ending.h"
#include "common/words.h"
#include "coordinator/run_directory.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

std::string prefix_of(const BuildRequest& request) {
  return "model_" + file_name(request.candidate);
}

std::vector<ArtifactFile> list_files(const fs::path& directory) {
  std::vector<ArtifactFile> files;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failure)) {
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      files.push_back(
          {entry.path().filename().string(),
           fmt::format("{}.{}.{}.{}.{}.{}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec)});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return files;
}

// Where the build runs: this directory, or one of its own, made empty.
fs::path working_directory(const BuildRequest& request) {
  if (!request.own_directory) {
    return {};
  }
  fs::path directory = request.om_directory / ("build_" + file_name(request.candidate));
  os::remove_tree(directory);
  os::make_directory(directory);
  return directory;
}

os::UniqueFd open_log(const fs::path& path) {
  os::UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
  if (!file.valid()) {
    throw environment_error("build.cannot_write_log", "cannot write {}: {}", path.string(),
                            std::string(std::strerror(errno)));
  }
  return file;
}

// Of one build's processes.
std::string cookie_of(const BuildRequest& request) {
  return "MSTUNE_BUILD=" + request.session_id + "." + file_name(request.candidate);
}

// Of the processes of all builds of a campaign, whichever coordinator started them.
std::string session_cookie(const std::string& session_id) {
  return "MSTUNE_BUILDS_OF=" + session_id;
}

os::SpawnRequest spawn_request(const BuildRequest& request, const std::string& cookie, int log) {
  os::SpawnRequest spawn;
  spawn.command = build_command(request);
  const std::string mode = std::string(kModeVariable) + "=";
  for (const std::string& variable : request.environment) {
    if (!variable.starts_with(mode)) {
      spawn.environment.push_back(variable);
    }
  }
  spawn.environment.push_back(mode + name(request.candidate));
  spawn.environment.push_back(cookie);
  spawn.environment.push_back(session_cookie(request.session_id));
  spawn.output = log;
  spawn.working_directory = working_directory(request);
  return spawn;
}

}  // namespace

std::vector<std::string> build_command(const BuildRequest& request) {
  const std::string prefix = (request.om_directory / prefix_of(request)).string();
  return replace_placeholder(replace_placeholder(request.command, "{om_prefix}", prefix), "{om}",
                             prefix + ".om");
}

std::size_t end_former_builds(const std::string& session_id) {
  os::TreeIdentity tree{0, session_cookie(session_id), {}};
  const std::size_t found = os::find_tree(tree).size();
  os::TreeEnder ender(tree, {});
  while (ender.step(os::steady_now()) == os::EndingState::going_on) {
    os::PollSet().wait(os::time_left(ender.deadline(), os::steady_now()));
  }
  return found;
}

Build::Build(BuildRequest request, TimePoint now)
    : request_(std::move(request)),
      log_(build_log(request_.om_directory, request_.candidate)),
      before_(list_files(request_.om_directory)),
      log_file_(open_log(log_)),
      tree_{0, cookie_of(request_), {}},
      process_(spawn_request(request_, tree_.cookie, log_file_.value())) {
  tree_.leader = process_.id();
  if (request_.timeout > Duration::zero()) {
    timeout_at_ = after(now, request_.timeout);
  }
}

TimePoint Build::deadline() const {
  return ender_ ? ender_->deadline() : timeout_at_;
}

void Build::cancel() {
  if (!ender_) {
    ender_.emplace(tree_, os::EndingLimits{});
  }
}

std::optional<std::variant<fs::path, Message>> Build::step(TimePoint now) {
  if (!ender_ && now >= timeout_at_) {
    timed_out_ = true;
    cancel();
  }
  if (!ender_ && process_.has_exited()) {
    cancel();  // what it left behind goes as well
  }
  if (!ender_ || ender_->step(now) == os::EndingState::going_on) {
    return std::nullopt;
  }
  if (timed_out_) {
    return message("build.timeout",
                   "the build of {} did not end within {} (--build-timeout) and was ended; see {}",
                   name(request_.candidate),
                   duration_text(std::chrono::duration<double>(request_.timeout).count()),
                   log_.string());
  }
  const std::optional<os::Exit> exit = process_.reap();
  if (!exit || exit->status != 0) {
    return failure(exit);
  }
  auto found = result();
  if (std::holds_alternative<fs::path>(found)) {
    remove_litter();
  }
  return found;
}

Message Build::failure(const std::optional<os::Exit>& exit) const {
  constexpr int kKilledStatus = 137;  // of a shell whose command was ended by SIGKILL
  const Message how =
      exit ? os::exit_text(exit->status) : message("process.cannot_be_ended", "it cannot be ended");
  const Message what = message("build.failed", "the build of {} failed ({}): see {}",
                               name(request_.candidate), how, log_.string());
  if (exit && (exit->status == -SIGKILL || exit->status == kKilledStatus)) {
    return message("build.out_of_memory",
                   "{}. The usual reason for SIGKILL is memory: see the kernel's log (dmesg), give "
                   "it more, or lower TE_PARALLEL_COMPILER or --compile-jobs",
                   what);
  }
  const std::string refused = characters_atc_refuses(request_.om_directory.string());
  if (!refused.empty()) {
    return message("build.refused_path",
                   "{}. Its path holds \"{}\", which atc does not take: give it another with "
                   "--om-dir",
                   what, refused);
  }
  return what;
}

// What a build that failed left in its directory may say why.
void Build::remove_litter() const {
  if (request_.own_directory) {
    os::remove_tree(request_.om_directory / ("build_" + file_name(request_.candidate)));
  }
}

std::variant<fs::path, Message> Build::result() const {
  const auto found =
      find_artifact({prefix_of(request_), request_.om_directory.string(), log_.string()}, before_,
                    list_files(request_.om_directory));
  if (const auto* why = std::get_if<Message>(&found)) {
    return message("build.no_om", "{}: {}", name(request_.candidate), why->text);
  }
  return request_.om_directory / std::get<std::string>(found);
}

}  // namespace mstune::coordinator
