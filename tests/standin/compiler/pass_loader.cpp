#include "tests/standin/compiler/pass_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <vector>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/ge_log.h"
#include "tests/standin/common/knobs.h"
#include "tests/standin/register/custom_pass_impl.h"

namespace standin {
namespace {

namespace fs = std::filesystem;

std::mutex loader_mutex;

struct Loaded {
  bool done = false;
  std::size_t registered_before = 0;
  std::vector<void*> handles;
};

Loaded& loaded() {
  static Loaded state;
  return state;
}

std::vector<fs::path> sorted_entries(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end(), [](const fs::path& one, const fs::path& other) {
    return std::strcoll(one.filename().c_str(), other.filename().c_str()) < 0;
  });
  return entries;
}

// Where the variable is not set, the toolkit that this library stands in.
fs::path opp_directory() {
  const std::string given = environment("ASCEND_OPP_PATH");
  Dl_info self{};
  if (!given.empty() || dladdr(reinterpret_cast<const void*>(&load_passes), &self) == 0) {
    return given;
  }
  std::error_code failure;
  return fs::canonical(self.dli_fname, failure).parent_path() / "ops";
}

std::vector<fs::path> pass_libraries() {
  std::vector<fs::path> libraries;
  for (const fs::path& vendor : sorted_entries(opp_directory() / "vendors")) {
    const fs::path scanned = vendor / "custom_fusion_passes";
    std::error_code failure;
    if (!fs::is_directory(fs::symlink_status(scanned, failure))) {
      continue;  // a link to a directory is none here
    }
    for (const fs::path& file : sorted_entries(scanned)) {
      if (file.extension() == ".so") {
        libraries.push_back(file);
      }
    }
  }
  return libraries;
}

void unload(Loaded& state) {
  if (state.done) {
    forget_passes(state.registered_before);
  }
  for (void* handle : state.handles) {
    dlclose(handle);
  }
  state = {};
}

}  // namespace

void load_passes() {
  const std::lock_guard lock(loader_mutex);
  Loaded& state = loaded();
  if (state.done) {
    return;
  }
  state.registered_before = registered_passes().size();
  state.done = true;
  for (const fs::path& file : pass_libraries()) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = dlerror();
      const GeError error("E13029", "Failed to load custom fusion pass lib " + file.string() +
                                        ". Reason: " + (why == nullptr ? "unknown" : why) + ".");
      unload(state);
      throw error;
    }
    GE_LOG_INFO("load custom pass lib %s", file.c_str());
    state.handles.push_back(handle);
  }
}

void unload_passes() {
  const std::lock_guard lock(loader_mutex);
  unload(loaded());
}

void run_passes(const ge::GraphPtr& graph, const std::map<std::string, std::string>& options) {
  for (const ge::PassRegistrationData& pass : registered_passes()) {
    const auto function = pass.GetCustomPassFn();
    if (pass.GetStage() != ge::CustomPassStage::kBeforeInferShape || !function) {
      continue;
    }
    ge::CustomPassContext context;
    context.SetPassName(ge::AscendString(pass.GetPassName().c_str()));
    ge::CustomPassAccess::impl(context).options = options;
    ge::GraphPtr subject = graph;
    const ge::Status status = function(subject, context);
    if (status != ge::SUCCESS) {
      throw GeError("E13028", "Failed to run custom fusion pass " + pass.GetPassName() +
                                  ". Return code: " + std::to_string(status) +
                                  ". Reason: " + context.GetErrorMessage().GetString() + ".");
    }
  }
}

}  // namespace standin
