#include "common/os/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"
#include "common/os/process_environment.h"

namespace mstune::os {
namespace {

// Reads a small file of /proc; what cannot be read is empty: its process has just ended, or it
// is somebody else's.
std::string read_quietly(const std::string& path, std::size_t size_max) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  std::array<char, 16384> buffer{};
  while (file.valid() && content.size() < size_max) {
    const Chunk chunk = read_chunk(file.value(), buffer);
    if (chunk.bytes.empty()) {
      break;
    }
    content.append(chunk.bytes);
  }
  return content;
}

bool holds_entry(std::string_view environment, std::string_view cookie) {
  while (!environment.empty()) {
    const auto end = environment.find('\0');
    if (environment.substr(0, end) == cookie) {
      return true;
    }
    environment.remove_prefix(end == std::string_view::npos ? environment.size() : end + 1);
  }
  return false;
}

std::string proc_directory(pid_t id) {
  return "/proc/" + std::to_string(id);
}

bool is_marked(pid_t id, std::string_view cookie) {
  const auto environment = cookie.empty() ? std::nullopt : environment_of(id);
  return environment && holds_entry(*environment, cookie);
}

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Directory open_directory(const std::string& path) {
  return {::opendir(path.c_str()), ::closedir};
}

// Children of all threads of a process; false when the kernel does not list them.
bool append_children(pid_t parent, std::vector<pid_t>& children) {
  constexpr std::size_t kChildrenMax = std::size_t{1} << 20U;
  const std::string tasks = proc_directory(parent) + "/task";
  const Directory directory = open_directory(tasks);
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    const std::string path = tasks + "/" + entry->d_name + "/children";
    if (parent == ::getpid() && ::access(path.c_str(), R_OK) != 0) {
      return false;
    }
    const std::string list = read_quietly(path, kChildrenMax);
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at < end) {
      pid_t child = 0;
      const auto [next, failure] = std::from_chars(at, end, child);
      if (failure == std::errc{}) {
        children.push_back(child);
      }
      at = next + 1;  // behind the blank
    }
  }
  return true;
}

// What is known of one process; nothing when it is gone.
std::optional<ProcessInfo> describe(pid_t id, std::string_view cookie, std::uint64_t since_ticks) {
  ProcessInfo info;
  if (!look_up(id, info)) {
    return std::nullopt;
  }
  info.marked = info.state != 'Z' && info.key.start_ticks >= since_ticks && is_marked(id, cookie);
  return info;
}

}  // namespace

bool look_up(pid_t id, ProcessInfo& result) {
  constexpr std::size_t kStatMax = 4096;
  return parse_stat(read_quietly(proc_directory(id) + "/stat", kStatMax), result);
}

std::vector<ProcessInfo> list_processes(std::string_view cookie, std::uint64_t since_ticks) {
  const Directory directory = open_directory("/proc");
  if (!directory) {
    throw environment_error("process_tree.no_proc",
                            "cannot look at the processes of this machine in /proc: {}",
                            reason(errno));
  }
  std::vector<ProcessInfo> result;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    pid_t id = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (failure == std::errc{} && end == name.data() + name.size()) {
      if (auto info = describe(id, cookie, since_ticks)) {
        result.push_back(std::move(*info));
      }
    }
  }
  return result;
}

std::optional<std::vector<ProcessInfo>> list_below(pid_t root) {
  ProcessInfo self;
  if (!look_up(::getpid(), self)) {
    return std::nullopt;
  }
  std::vector<pid_t> ids{root};
  if (std::vector<pid_t> own; !append_children(::getpid(), own)) {
    return select_below(list_processes({}), root);
  }
  std::vector<ProcessInfo> result;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    append_children(ids[i], ids);
    if (auto info = i == 0 ? std::nullopt : describe(ids[i], {}, 0)) {
      result.push_back(std::move(*info));
    }
  }
  return result;
}

std::optional<std::vector<ProcessInfo>> list_descendants(std::string_view cookie,
                                                         std::uint64_t since_ticks) {
  std::vector<pid_t> ids;
  if (!append_children(::getpid(), ids)) {
    return std::nullopt;
  }
  std::vector<ProcessInfo> result;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (auto info = describe(ids[i], cookie, since_ticks)) {
      result.push_back(std::move(*info));
      append_children(ids[i], ids);
    }
  }
  return result;
}

}  // namespace mstune::os
