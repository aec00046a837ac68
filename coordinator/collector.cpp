#include "coordinator/collector.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/os/file.h"
#include "protocol/codec.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRequestsMax = 8;

bool leads_out(const fs::path& path) {
  return path.empty() || path.is_absolute() ||
         std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

Collector::Collector(fs::path directory, protocol::TrialKey key, std::vector<WantedFile> files)
    : directory_(std::move(directory)), key_(std::move(key)), files_(std::move(files)) {
  for (const WantedFile& file : files_) {
    if (leads_out(file.path)) {
      throw protocol_error("collect.bad_path", "the agent offers a file with the path \"{}\"",
                           file.path);
    }
  }
  go_to(0);
  ask_offset_ = offset_;
}

void Collector::go_to(std::size_t file) {
  written_ = file;
  offset_ = file < files_.size() ? files_[file].begin : 0;
}

std::vector<protocol::Fetch> Collector::take_requests(TimePoint now, std::size_t sharers) {
  constexpr std::uint64_t kPiece = protocol::kPayloadBytesMax;
  deadline_ = kNever;
  std::vector<protocol::Fetch> requests;
  while (pending_.size() < kRequestsMax && ask_file_ < files_.size()) {
    // From the last piece on: time in which none was asked for is not made up for by a burst.
    const Duration wait =
        protocol::kGentlePeriod * static_cast<Duration::rep>(sharers * last_bytes_) / kPiece;
    if (const TimePoint next = after(last_asked_, wait); sharers > 0 && now < next) {
      deadline_ = next;
      break;
    }
    last_asked_ = now;
    last_bytes_ = std::min(kPiece, files_[ask_file_].size - ask_offset_);
    requests.push_back({key_, files_[ask_file_].number, ask_offset_, kPiece});
    pending_.push_back({ask_file_, ask_offset_});
    ask_offset_ += kPiece;
    if (ask_offset_ >= files_[ask_file_].size) {
      ++ask_file_;
      ask_offset_ = ask_file_ < files_.size() ? files_[ask_file_].begin : 0;
    }
  }
  return requests;
}

void Collector::open(const WantedFile& file) {
  const fs::path path = directory_ / file.path;
  os::make_directory(path.parent_path());
  output_.emplace(path);
}

bool Collector::take(const protocol::FileData& data, std::string_view bytes) {
  if (pending_.empty() || pending_.front().file != written_ ||
      pending_.front().offset != data.offset || data.offset != offset_ ||
      files_[written_].number != data.file) {
    return false;
  }
  const WantedFile& file = files_[written_];
  pending_.erase(pending_.begin());
  if (offset_ == file.begin) {
    open(file);
  }
  // What is sent beyond the size is not what was asked for.
  bytes = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(
                              bytes.size(), file.size - std::min(file.size, offset_))));
  output_->append(bytes);
  scanner_.feed(bytes);
  ++answers_;
  offset_ += bytes.size();
  if (!data.failure.text.empty()) {
    notes_.push_back(data.failure);
  }
  if (offset_ >= file.size || data.end) {
    output_->put_in_place();
    output_.reset();
    go_to(written_ + 1);
    // It was shorter than it was when the trial ended: what else was asked of it comes to nothing.
    std::erase_if(pending_, [&](const Pending& other) { return other.file < written_; });
    if (ask_file_ < written_) {
      ask_file_ = written_;
      ask_offset_ = offset_;
    }
  }
  return true;
}

void Collector::start_again() {
  pending_.clear();
  ask_file_ = written_;
  ask_offset_ = offset_;
}

}  // namespace mstune::coordinator
