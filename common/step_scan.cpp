#include "common/step_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/lanes.h"
#include "common/step_record.h"

namespace mstune {
namespace {

constexpr auto kNotFound = std::string_view::npos;

// memrchr is several times faster than string_view::rfind, which goes byte by byte.
std::size_t last_line_end(std::string_view bytes) {
  const void* found = bytes.empty() ? nullptr : memrchr(bytes.data(), '\n', bytes.size());
  return found == nullptr
             ? kNotFound
             : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
}

}  // namespace

std::uint64_t count_line_ends(std::string_view bytes) {
  const Lanes line_end = lanes_of('\n');
  std::uint64_t count = 0;
  while (bytes.size() >= sizeof(Lanes)) {
    // A lane counts to 255 before it must be emptied.
    const std::size_t blocks = std::min<std::size_t>(bytes.size() / sizeof(Lanes), 255);
    Lanes counts{};
    for (std::size_t block = 0; block < blocks; ++block) {
      // A lane that is equal is -1.
      counts -= equal_lanes(load_lanes(bytes.data() + block * sizeof(Lanes)), line_end);
    }
    for (std::size_t lane = 0; lane < sizeof(Lanes); ++lane) {
      count += counts[lane];
    }
    bytes.remove_prefix(blocks * sizeof(Lanes));
  }
  return count + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

void StepScanner::feed(std::string_view bytes, const StepLineSink& sink) {
  if (open_) {
    const auto end = bytes.find('\n');
    keep(bytes.substr(0, end), sink);
    if (end == kNotFound) {
      return;
    }
    finish(sink);
    bytes.remove_prefix(end + 1);
  }
  const auto end = last_line_end(bytes);
  if (end != kNotFound) {
    scan_whole_lines(bytes.substr(0, end + 1), sink);
    bytes.remove_prefix(end + 1);
  }
  if (!bytes.empty()) {
    keep(bytes, sink);
  }
}

void StepScanner::finish(const StepLineSink& sink) {
  if (open_) {
    deliver(tail_, sink);
    tail_.clear();
    open_ = false;
    ++number_;
  }
}

void StepScanner::scan_whole_lines(std::string_view bytes, const StepLineSink& sink) {
  std::size_t tag = find_step_tag(bytes);
  while (tag != kNotFound) {
    const auto before = last_line_end(bytes.substr(0, tag));
    const std::size_t begin = before == kNotFound ? 0 : before + 1;
    const std::size_t end = bytes.find('\n', tag);
    number_ += count_line_ends(bytes.substr(0, begin));
    // Each byte is searched once: nearly always the next tag stands on a later line.
    const std::size_t fields = tag + kStepTag.size();
    const std::size_t next = find_step_tag(bytes.substr(fields));
    if (next == kNotFound || fields + next > end) {
      deliver_one(bytes.substr(begin, end - begin), tag - begin, sink);
    } else {
      deliver(bytes.substr(begin, end - begin), sink);
    }
    ++number_;
    bytes.remove_prefix(end + 1);
    if (next != kNotFound && fields + next > end) {
      tag = fields + next - end - 1;
    } else {
      tag = next == kNotFound ? kNotFound : find_step_tag(bytes);
    }
  }
  number_ += count_line_ends(bytes);
}

void StepScanner::keep(std::string_view part, const StepLineSink& sink) {
  open_ = true;
  while (!part.empty()) {
    const std::string_view piece = part.substr(0, kStepFieldsMax);
    tail_.append(piece);
    part.remove_prefix(piece.size());
    trim_tail(sink);
  }
}

// Delivers what is complete and forgets what no tag that is still to come can reach.
void StepScanner::trim_tail(const StepLineSink& sink) {
  std::size_t tag = find_step_tag(tail_);
  while (tag != kNotFound) {
    const std::size_t fields = tag + kStepTag.size();
    const std::size_t next = find_step_tag(std::string_view(tail_).substr(fields));
    if (next == kNotFound && tail_.size() - fields < kStepFieldsMax) {
      return;
    }
    const std::size_t length = std::min(next, kStepFieldsMax);
    deliver(std::string_view(tail_).substr(0, fields + length), sink);
    tail_.erase(0, fields);
    tag = next;
  }
  // The last bytes may be the beginning of a tag.
  constexpr std::size_t kWanted = kStepLeadMax + kStepTag.size();
  if (tail_.size() > 2 * kWanted) {
    tail_.erase(0, tail_.size() - kWanted);
  }
}

void StepScanner::deliver(std::string_view line, const StepLineSink& sink) const {
  std::size_t tag = find_step_tag(line);
  while (tag != kNotFound) {
    const std::size_t fields = tag + kStepTag.size();
    const std::size_t next = find_step_tag(line.substr(fields));
    deliver_one(line.substr(0, next == kNotFound ? next : fields + next), tag, sink);
    line.remove_prefix(fields);
    tag = next;
  }
}

// `line` holds one tag, at `tag`.
void StepScanner::deliver_one(std::string_view line, std::size_t tag,
                              const StepLineSink& sink) const {
  const std::size_t begin = tag - std::min(tag, kStepLeadMax);
  const std::size_t length = tag - begin + kStepTag.size() + kStepFieldsMax;
  sink(number_, line.substr(begin, length));
}

}  // namespace mstune
