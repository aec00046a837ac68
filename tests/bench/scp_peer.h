// scp over an sshd of its own on loopback: what the sample that mstune replaces copies with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/os/process.h"

namespace mstune::bench {

class ScpPeer {
 public:
  // Makes its keys and starts the server below `directory`. Nothing where OpenSSH's server is not
  // installed or does not start.
  static std::optional<ScpPeer> start(const std::filesystem::path& directory);

  // Seconds to copy all files by one call, the connection included; 0 when it failed. `cipher` as
  // scp -c takes it; empty: the default.
  [[nodiscard]] double copy(const std::vector<std::filesystem::path>& files,
                            const std::string& cipher) const;

 private:
  ScpPeer(const std::filesystem::path& directory, int port);
  [[nodiscard]] std::vector<std::string> client(const std::string& program) const;
  [[nodiscard]] bool answers() const;

  std::filesystem::path directory_;
  int port_;
  os::Process server_;
};

}  // namespace mstune::bench
