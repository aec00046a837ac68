#include "common/os/examine.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "common/error.h"
#include "common/os/cann_version.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/pass_folder.h"
#include "common/os/pass_library.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListedMax = 64;  // of passes, strays and leases

bool exists_as_directory(const fs::path& path) {
  std::error_code failure;
  return fs::is_directory(path, failure);
}

// The nearest directory above that exists is what a new one would be made in.
Place place_of(const fs::path& path) {
  Place place;
  place.path = path.string();
  fs::path existing = path;
  while (!exists_as_directory(existing) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  place.writable = ::access(existing.c_str(), W_OK | X_OK) == 0;
  try {
    place.free_bytes = free_space(existing);
  } catch (const Error&) {
    place.writable = false;
  }
  return place;
}

// As the log library chooses it; without these variables it takes the home of the passwd entry.
Place build_log_of(const Variables& variables) {
  if (const std::string path = value_of(variables, "ASCEND_PROCESS_LOG_PATH"); !path.empty()) {
    return place_of(path);
  }
  const std::string work = value_of(variables, "ASCEND_WORK_PATH");
  return work.empty() ? Place{} : place_of(fs::path(work) / "log");
}

void look_at_cann(const Variables& variables, BoxFacts& facts) {
  const fs::path home = value_of(variables, "ASCEND_HOME_PATH");
  const fs::path opp = value_of(variables, "ASCEND_OPP_PATH");
  facts.home_exists = !home.empty() && exists_as_directory(home);
  facts.opp_exists = !opp.empty() && exists_as_directory(opp);
  facts.atc = find_program("atc", value_of(variables, "PATH"));
  facts.cann_version = cann_version_at(home);
  facts.driver_version = version_in("/usr/local/Ascend/driver/version.info");
  if (facts.driver_version.empty() && !home.empty()) {
    facts.driver_version = version_in(home / "driver" / "version.info");
  }
  if (facts.opp_exists) {
    const std::vector<std::string> search = split_path_list(value_of(variables, "LD_LIBRARY_PATH"));
    const PassFolder folder(opp);
    facts.passes = folder.list(search);
    facts.strays = folder.strays();
    facts.leases = folder.leases();
    facts.toolkit_abi = toolkit_abi(search);
    // What there is more of says nothing new, and has to fit into a message.
    facts.passes.resize(std::min(facts.passes.size(), kListedMax));
    facts.strays.resize(std::min(facts.strays.size(), kListedMax));
    facts.leases.resize(std::min(facts.leases.size(), kListedMax));
  }
}

}  // namespace

BoxFacts examine(const ExamineRequest& request) {
  BoxFacts facts;
  facts.host = host_name();
  facts.software = request.software;
  facts.architecture = architecture();
  facts.is_root = ::geteuid() == 0;
  for (const auto& [name, value] : request.variables) {
    if (is_telling_variable(name)) {
      facts.variables[name] = value;
    }
  }
  look_at_cann(request.variables, facts);
  facts.work = place_of(request.work_directory);
  if (!request.output_directory.empty()) {
    facts.output = place_of(request.output_directory);
  }
  facts.plog_root = request.plog_root.string();
  facts.build_log = build_log_of(request.variables);
  return facts;
}

std::string find_program(const std::string& name, const std::string& path_list) {
  for (const std::string& directory : split_path_list(path_list)) {
    const fs::path path = fs::path(directory) / name;
    std::error_code failure;
    if (fs::is_regular_file(path, failure) && ::access(path.c_str(), X_OK) == 0) {
      return path.string();
    }
  }
  return {};
}

}  // namespace mstune::os
