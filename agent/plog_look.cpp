#include "agent/plog_look.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "agent/exited_limits.h"
#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

// Of very many files the first ones in the directories' order.
constexpr int kFilesMax = 256;

// Process 42 of "plog-42_20260902143015123.log"; 0 of another name.
int process_of(const std::string& name) {
  constexpr std::string_view kPrefix = "plog-";
  int process = 0;
  if (name.starts_with(kPrefix)) {
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), process);
  }
  return process;
}

// The last line of a file that ends without a line end; empty where it ends with one.
std::string cut_line(int file, off_t size) {
  std::array<char, 256> buffer{};
  const off_t begin = size - std::min<off_t>(size, static_cast<off_t>(buffer.size()));
  const ssize_t got = ::pread(file, buffer.data(), buffer.size(), begin);
  if (got <= 0 || buffer[static_cast<std::size_t>(got) - 1] == '\n') {
    return {};
  }
  const std::string text(buffer.data(), static_cast<std::size_t>(got));
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::optional<std::int64_t> free_bytes(const fs::path& path) {
  try {
    return static_cast<std::int64_t>(os::free_space(path));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void add_plog_facts(const fs::path& plog, protocol::Facts& facts) {
  std::set<int> processes;
  std::error_code failure;
  fs::recursive_directory_iterator walk(plog, failure);
  for (int files = 0; !failure && walk != fs::recursive_directory_iterator() && files < kFilesMax;
       walk.increment(failure)) {
    struct stat info {};
    const fs::path& path = walk->path();
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      continue;
    }
    ++files;
    if (const int process = process_of(path.filename().string()); process > 0) {
      processes.insert(process);
    }
    if (info.st_uid != ::geteuid()) {
      add_fact(facts, "plog_uid", static_cast<std::int64_t>(info.st_uid));
    }
    const os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (std::string cut = file.valid() ? cut_line(file.value(), info.st_size) : ""; !cut.empty()) {
      add_fact(facts, "plog_cut", std::move(cut));
    }
  }
  add_fact(facts, "plog_processes", fmt::format("{}", fmt::join(processes, " ")));
}

}  // namespace mstune::agent
