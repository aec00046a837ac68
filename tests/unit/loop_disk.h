// A file system in a file, mounted where this user may do so.
#pragma once

#include <sys/mount.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {

class LoopDisk {
 public:
  // `make` is the program that makes the file system, with its options; the image follows it.
  LoopDisk(const std::filesystem::path& directory, std::vector<std::string> make,
           std::uintmax_t size_bytes)
      : path_(directory / "disk") {
    const std::filesystem::path image = directory / "image";
    append_to(image, "");
    std::filesystem::resize_file(image, size_bytes);
    make_directory(path_);
    make.push_back(image.string());
    mounted_ = succeeds(make) && succeeds({"mount", "-o", "loop", image.string(), path_.string()});
  }
  ~LoopDisk() {
    if (mounted_) {
      ::umount2(path_.c_str(), MNT_DETACH);
    }
  }
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  [[nodiscard]] bool is_there() const { return mounted_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t used_bytes() const {
    struct statvfs usage {};
    return ::statvfs(path_.c_str(), &usage) == 0 ? (usage.f_blocks - usage.f_bfree) * usage.f_frsize
                                                 : 0;
  }

 private:
  static bool succeeds(const std::vector<std::string>& command) {
    SpawnRequest request;
    request.command = command;
    request.environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    try {
      Process process(request);
      while (!process.has_exited()) {
        wait_readable(process.exit_descriptor(), std::chrono::seconds(1));
      }
      return process.reap()->status == 0;
    } catch (const Error&) {
      return false;
    }
  }

  std::filesystem::path path_;
  bool mounted_ = false;
};

}  // namespace mstune::os
