#include "coordinator/bundle.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "common/error.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCombined = "_weight_combined";

std::shared_ptr<UploadSource> read_source(const fs::path& path,
                                          const std::shared_ptr<UploadSource>& known,
                                          const std::shared_ptr<UploadSource>& sibling) {
  os::SourceFile file = os::open_source(path);
  if (known && known->file.stamp == file.stamp) {
    return known;
  }
  auto source = std::make_shared<UploadSource>();
  source->file = std::move(file);
  source->manifest = std::make_shared<const Manifest>(os::compute_manifest(
      source->file, std::stop_token(),
      sibling ? os::Sibling{&sibling->file, sibling->manifest.get()} : os::Sibling{}));
  return source;
}

}  // namespace

bool is_weight_of(std::string_view file, std::string_view stem) {
  if (!file.ends_with(kCombined)) {
    return true;
  }
  const std::string_view owner = file.substr(0, file.size() - kCombined.size());
  // A name for dynamic shapes goes on: "model_cv_linux_aarch64" is of "model_cv".
  return stem.starts_with(owner) && (stem.size() == owner.size() || stem[owner.size()] == '_');
}

std::vector<BundledFile> files_of_om(const fs::path& om) {
  std::vector<BundledFile> files{{om.filename().string(), om}};
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(om.parent_path() / "weight", failure)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file(failure) && is_weight_of(name, om.stem().string())) {
      files.push_back({"weight/" + name, entry.path()});
    }
  }
  std::sort(files.begin() + 1, files.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return files;
}

void BundleReader::read(std::vector<BundledFile> files, const Done& done) {
  const bool taken = worker_.submit(
      [memory = memory_, files = std::move(files), done]() -> os::Worker::Result {
        auto result = std::make_shared<std::vector<ReadFile>>();
        for (const BundledFile& file : files) {
          auto& known = memory->known[file.path];
          known = read_source(file.path, known, result->empty() ? memory->sibling : nullptr);
          result->push_back({file.name, known});
        }
        if (!result->empty()) {
          memory->sibling = result->front().source;
        }
        return [result, done] { done(*result); };
      },
      [done](const Error& error) { done(error.message()); });
  if (!taken) {
    done(message("upload.too_busy", "too much waits to be read"));
  }
}

}  // namespace mstune::coordinator
