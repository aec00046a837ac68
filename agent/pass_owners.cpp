#include "agent/pass_owners.h"

#include <cstdint>
#include <sstream>
#include <system_error>
#include <utility>

#include "common/error.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 20U;

}  // namespace

// A line each: "CLIENT PATH"; a client's name holds no blank.
PassOwners::PassOwners(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file_, failure)) {
    return;
  }
  std::istringstream lines(os::read_file(file_, kFileBytesMax));
  for (std::string line; std::getline(lines, line);) {
    if (const auto blank = line.find(' '); blank != std::string::npos && blank > 0) {
      owners_[line.substr(blank + 1)] = line.substr(0, blank);
    }
  }
}

void PassOwners::check(const os::PassFolder& folder, const std::string& client) const {
  const auto owner = owners_.find(folder.library().string());
  if (owner != owners_.end() && owner->second != client && folder.is_installed()) {
    throw environment_error("pass.of_another",
                            "{} had the pass installed there to stay: only that client, or the "
                            "box's owner with \"mstune pass remove\" there, takes it away",
                            owner->second);
  }
}

void PassOwners::note(const os::PassFolder& folder, const std::string& client) {
  const std::string path = folder.library().string();
  const bool changes =
      client.empty() ? owners_.erase(path) > 0 : std::exchange(owners_[path], client) != client;
  if (!changes) {
    return;
  }
  std::string text;
  for (const auto& [library, owner] : owners_) {
    text += owner + ' ' + library + '\n';
  }
  os::write_file_atomically(file_, text, 0600);
}

}  // namespace mstune::agent
