#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/standin/compiler/stream_allocator.h"

namespace standin {
namespace {

std::vector<std::string> split_row(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) {
    cells.push_back(cell);
  }
  return cells;
}

void read_summary(const std::filesystem::path& file, std::map<std::string, double>& durations) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const auto head = split_row(line);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  const std::size_t name = column("Op Name");
  const std::size_t duration = column("Task Duration(us)");
  while (std::getline(stream, line)) {
    const auto cells = split_row(line);
    double value = 0;
    if (std::max(name, duration) < cells.size() &&
        std::from_chars(cells[duration].data(), cells[duration].data() + cells[duration].size(),
                        value)
                .ec == std::errc{}) {
      durations[cells[name]] = value;
    }
  }
}

}  // namespace

std::map<std::string, double> read_durations(const std::string& directory) {
  std::map<std::string, double> durations;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
    const std::string name = entry.path().filename();
    if (name.rfind("op_summary", 0) == 0 && entry.path().extension() == ".csv") {
      read_summary(entry.path(), durations);
    }
  }
  return durations;
}

}  // namespace standin
