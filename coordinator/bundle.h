// The files that go to an agent for a candidate's trials: its OM with the weights beside it, and
// what the target lists.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/manifest.h"
#include "common/message.h"
#include "common/os/source_file.h"
#include "common/os/worker.h"

namespace mstune::coordinator {

struct BundledFile {
  std::string name;  // where it is put, below the trial's om/; see common/layout_name.h
  std::filesystem::path path;
};

// The OM and the external weights that were built with it: atc puts them into weight/ beside it,
// and the loader looks for them there. Combined weights of other OMs stay behind.
std::vector<BundledFile> files_of_om(const std::filesystem::path& om);

// True when `file`, a name in weight/, goes with the OM whose name without ".om" is `stem`:
// weight_<hash> is shared by all, <stem>_weight_combined belongs to one.
bool is_weight_of(std::string_view file, std::string_view stem);

// A file to send, open and digested; shared, since several agents may get it.
struct UploadSource {
  os::SourceFile file;
  std::shared_ptr<const Manifest> manifest;
};

struct ReadFile {
  std::string name;
  std::shared_ptr<UploadSource> source;
};

// Reads and digests files on the worker, each only once while it stays as it is.
class BundleReader {
 public:
  explicit BundleReader(os::Worker& worker) : worker_(worker) {}

  // `done` is called on this thread, later: with the files in their order, or why one of them
  // cannot be read.
  using Done = std::function<void(const std::variant<std::vector<ReadFile>, Message>& result)>;
  void read(std::vector<BundledFile> files, const Done& done);

 private:
  struct Memory {  // touched on the worker only, which does one job after the other
    std::map<std::filesystem::path, std::shared_ptr<UploadSource>> known;
    // Candidates of one model are nearly equal: what equals the one before needs no digest.
    std::shared_ptr<UploadSource> sibling;
  };

  os::Worker& worker_;
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

}  // namespace mstune::coordinator
