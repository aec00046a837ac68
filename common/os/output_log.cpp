#include "common/os/output_log.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "common/error.h"
#include "common/os/failure.h"

namespace mstune::os {

OutputLog::OutputLog(const std::filesystem::path& path, OutputLimits limits)
    : path_(path),
      limits_{limits.head_bytes, std::max<std::size_t>(limits.tail_bytes, 1)},
      file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644)) {
  if (!file_.valid()) {
    throw environment_error("output_log.cannot_open",
                            "cannot write the output of a program to "
                            "{}: {}",
                            path.string(), reason(errno));
  }
}

void OutputLog::write(std::string_view bytes) {
  if (failure_ || bytes.empty()) {
    return;
  }
  if (write_fully(file_.value(), bytes)) {
    written_ += bytes.size();
  } else {
    failure_ = message("output_log.cannot_write", "cannot write the output of a program to {}: {}",
                       path_.string(), reason(errno));
  }
}

void OutputLog::append(std::string_view bytes) {
  const std::uint64_t head_left = limits_.head_bytes - std::min(limits_.head_bytes, bytes_);
  write(bytes.substr(0, std::min<std::uint64_t>(head_left, bytes.size())));

  const std::size_t size = limits_.tail_bytes;
  const std::size_t skipped = bytes.size() - std::min(size, bytes.size());
  bytes_ += skipped;
  bytes.remove_prefix(skipped);
  while (!bytes.empty()) {
    const auto at = static_cast<std::size_t>(bytes_ % size);
    const std::size_t count = std::min(bytes.size(), size - at);
    // Grows with the output: most programs print far less than the ring could hold.
    if (ring_.size() < at + count) {
      ring_.resize(at + count);
    }
    std::copy_n(bytes.data(), count, ring_.data() + at);
    bytes_ += count;
    bytes.remove_prefix(count);
  }
}

std::string OutputLog::tail(std::uint64_t length) const {
  const auto kept =
      static_cast<std::size_t>(std::min<std::uint64_t>({length, bytes_, limits_.tail_bytes}));
  if (kept == 0) {
    return {};
  }
  const auto begin = static_cast<std::size_t>((bytes_ - kept) % limits_.tail_bytes);
  const std::size_t first = std::min(kept, limits_.tail_bytes - begin);
  return ring_.substr(begin, first) + ring_.substr(0, kept - first);
}

void OutputLog::finish() {
  if (finished_) {
    return;
  }
  finished_ = true;
  if (bytes_ > limits_.head_bytes) {
    const std::uint64_t beyond = bytes_ - limits_.head_bytes;
    const std::string end = tail(beyond);
    if (end.size() < beyond) {
      const std::uint64_t before = written_;
      write("\n[mstune] " + std::to_string(beyond - end.size()) +
            " bytes of output left out here\n");
      written_ = before;
    }
    write(end);
  }
  file_.reset();
}

std::uint64_t OutputLog::dropped() const {
  if (finished_) {
    return bytes_ - written_;
  }
  const std::uint64_t end = bytes_ - std::min(bytes_, limits_.head_bytes);
  return bytes_ - written_ - std::min<std::uint64_t>(end, limits_.tail_bytes);
}

std::string OutputLog::last_lines(std::size_t lines, std::size_t bytes_max) const {
  return last_lines_of(tail(bytes_max), lines);
}

std::string last_lines_of(std::string text, std::size_t lines) {
  if (text.ends_with('\n')) {
    text.pop_back();
  }
  std::size_t begin = text.size();
  for (std::size_t count = 0; count < lines; ++count) {
    const auto newline = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
    if (newline == std::string::npos) {
      return text;
    }
    begin = newline;
  }
  return lines == 0 ? std::string() : text.substr(begin + 1);
}

}  // namespace mstune::os
