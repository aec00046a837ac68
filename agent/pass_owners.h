// Which client had the tuning pass installed to stay, in which CANN of this machine: what one
// client installed is not another's to remove or to exchange.
//
// Kept in one small file of the agent's, so that it outlives the agent. A pass that the box's owner
// installed by hand has no client and may be changed by those who may change a pass at all.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/os/pass_folder.h"

namespace mstune::agent {

class PassOwners {
 public:
  explicit PassOwners(std::filesystem::path file);

  // Throws an environment error "pass.of_another" where a pass of another client is installed.
  void check(const os::PassFolder& folder, const std::string& client) const;
  // Whose the pass is from now on; nobody's when `client` is empty. Throws when that cannot be
  // written down.
  void note(const os::PassFolder& folder, const std::string& client);

 private:
  std::filesystem::path file_;
  std::map<std::string, std::string> owners_;  // by the library's path
};

}  // namespace mstune::agent
