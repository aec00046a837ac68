// A directory of its own for one test case; it goes with the test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/os/file.h"

namespace mstune::os {

class Scratch {
 public:
  Scratch() : path_(make_unique_directory(std::filesystem::temp_directory_path(), "mstune-os-")) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Scratch(Scratch&&) = delete;
  Scratch& operator=(Scratch&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// Appends as a logging program does: open, write, close.
inline void append_to(const std::filesystem::path& path, std::string_view bytes) {
  AppendFile(path).append(bytes);
}

}  // namespace mstune::os
