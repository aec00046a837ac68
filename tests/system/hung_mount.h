// A file system that never says whether a file is there: whoever asks cannot be killed while it is
// mounted, like a process whose driver or NFS server hangs.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include "common/os/descriptor.h"

namespace mstune::test {

class HungMount {
 public:
  // Nothing where this process may not mount or the kernel has no FUSE.
  static std::unique_ptr<HungMount> make(const std::filesystem::path& directory);
  // Lets go of whoever hangs, and unmounts.
  ~HungMount();
  HungMount(const HungMount&) = delete;
  HungMount& operator=(const HungMount&) = delete;

 private:
  HungMount(std::filesystem::path directory, os::UniqueFd device);
  void serve() const;
  void answer(const char* request) const;

  std::filesystem::path directory_;
  os::UniqueFd device_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace mstune::test
