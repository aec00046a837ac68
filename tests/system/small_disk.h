// A small file system of its own, where this user may mount one.
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace mstune::test {

class SmallDisk {
 public:
  // `size` is tmpfs's option: "size=2m".
  SmallDisk(const std::filesystem::path& path, const char* size) : path_(path) {
    std::filesystem::create_directories(path);
    mounted_ = ::mount("none", path.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      ::umount2(path_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool is_there() const { return mounted_; }
  // False when more than that is in use already.
  [[nodiscard]] bool resize(const char* size) const {
    return ::mount("none", path_.c_str(), "tmpfs", MS_REMOUNT, size) == 0;
  }

 private:
  std::filesystem::path path_;
  bool mounted_ = false;
};

}  // namespace mstune::test
