#include "tests/standin/device/process_table.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace standin::device {
namespace {

namespace fs = std::filesystem;

// Holds the lock of the table for as long as it lives; the kernel lets it go when a holder dies.
class TableLock {
 public:
  explicit TableLock(const std::string& directory)
      : file_(open((directory + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (file_ >= 0) {
      while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
      }
    }
  }
  ~TableLock() {
    if (file_ >= 0) {
      close(file_);
    }
  }
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
  TableLock(TableLock&&) = delete;
  TableLock& operator=(TableLock&&) = delete;

  [[nodiscard]] bool held() const { return file_ >= 0; }

 private:
  int file_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<std::uint64_t> start_of(pid_t pid) {
  return start_ticks(text_of("/proc/" + std::to_string(pid) + "/stat"));
}

std::string name_of(pid_t pid) {
  std::string name = text_of("/proc/" + std::to_string(pid) + "/comm");
  if (!name.empty()) {
    name.pop_back();  // its newline
  }
  return name;
}

bool write_entry(const std::string& path, std::uint64_t start, std::uint64_t bytes) {
  std::ofstream file(path, std::ios::trunc);
  file << start << ' ' << bytes << '\n';
  return file.flush().good();
}

}  // namespace

std::optional<std::uint64_t> start_ticks(std::string_view proc_stat) {
  const auto name_end = proc_stat.rfind(')');
  if (name_end == std::string_view::npos) {
    return std::nullopt;
  }
  // Behind the name: the state is field 3, the start time field 22.
  std::istringstream fields{std::string(proc_stat.substr(name_end + 1))};
  char state = 0;
  fields >> state;
  constexpr int between = 18;
  std::string skipped;
  for (int field = 0; field < between; ++field) {
    fields >> skipped;
  }
  std::uint64_t start = 0;
  if (!(fields >> start) || state == 'Z' || state == 'X') {
    return std::nullopt;
  }
  return start;
}

std::string ProcessTable::entry(int logic_id, pid_t pid) const {
  return directory_ + "/" + std::to_string(logic_id) + "/" + std::to_string(pid);
}

bool ProcessTable::attach(int logic_id) const {
  std::error_code failed;
  fs::create_directories(directory_ + "/" + std::to_string(logic_id), failed);
  const TableLock lock(directory_);
  const auto start = start_of(getpid());
  if (!lock.held() || !start) {
    return false;
  }
  const std::string path = entry(logic_id, getpid());
  std::uint64_t old_start = 0;
  std::uint64_t bytes = 0;
  std::istringstream old(text_of(path));
  const bool attached = (old >> old_start >> bytes) && old_start == *start;
  return attached || write_entry(path, *start, 0);
}

void ProcessTable::detach(int logic_id) const {
  const TableLock lock(directory_);
  std::error_code failed;
  fs::remove(entry(logic_id, getpid()), failed);
}

void ProcessTable::set_bytes(int logic_id, std::uint64_t bytes) const {
  const TableLock lock(directory_);
  const std::string path = entry(logic_id, getpid());
  const auto start = start_of(getpid());
  if (lock.held() && start && fs::exists(path)) {
    write_entry(path, *start, bytes);
  }
}

std::vector<Usage> ProcessTable::usages(int logic_id) const {
  std::vector<Usage> living;
  const TableLock lock(directory_);
  std::error_code failed;
  std::vector<fs::path> dead;
  for (fs::directory_iterator item(directory_ + "/" + std::to_string(logic_id), failed), end;
       item != end; item.increment(failed)) {
    const std::string file_name = item->path().filename().string();
    pid_t pid = 0;
    std::from_chars(file_name.data(), file_name.data() + file_name.size(), pid);
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
    std::istringstream content(text_of(item->path().string()));
    content >> start >> bytes;
    if (start_of(pid) == std::optional(start)) {
      living.push_back({pid, name_of(pid), bytes});
    } else {
      dead.push_back(item->path());
    }
  }
  for (const auto& path : dead) {
    fs::remove(path, failed);
  }
  std::sort(living.begin(), living.end(),
            [](const Usage& left, const Usage& right) { return left.pid < right.pid; });
  return living;
}

}  // namespace standin::device
