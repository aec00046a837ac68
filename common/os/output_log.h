// Keeps what a program printed, in bounded space: the beginning in a file as it comes, the end in
// memory, and at the end both in the file with a line between them that says how much is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/message.h"
#include "common/os/descriptor.h"

namespace mstune::os {

struct OutputLimits {
  std::uint64_t head_bytes = std::uint64_t{15} << 20U;  // written as they come
  std::size_t tail_bytes = std::size_t{1} << 20U;       // kept in memory, written at the end
};

class OutputLog {
 public:
  // Makes the file, or empties it. Throws an Error.
  OutputLog(const std::filesystem::path& path, OutputLimits limits);

  // Takes the next bytes, in any cut. Does not throw: a disk that is full shows in failure(), and
  // the end of the output is still kept in memory.
  void append(std::string_view bytes);

  // Writes the end, after a marker line when something is missing. Later calls do nothing.
  void finish();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // Bytes that the finished file lacks.
  [[nodiscard]] std::uint64_t dropped() const;

  // What went wrong with the file, if anything did.
  [[nodiscard]] const std::optional<Message>& failure() const { return failure_; }

  // The last lines, without a final '\n': at most `lines` and `bytes_max`, cut at the front.
  [[nodiscard]] std::string last_lines(std::size_t lines, std::size_t bytes_max = 4096) const;

 private:
  void write(std::string_view bytes);
  [[nodiscard]] std::string tail(std::uint64_t length) const;

  std::filesystem::path path_;
  OutputLimits limits_;
  UniqueFd file_;
  std::string ring_;  // grows to tail_bytes, then wraps at bytes_ % tail_bytes
  std::uint64_t bytes_ = 0;
  std::uint64_t written_ = 0;  // of the output's own bytes
  bool finished_ = false;
  std::optional<Message> failure_;
};

// The last lines of `text`, without a line end at its end.
std::string last_lines_of(std::string text, std::size_t lines);

}  // namespace mstune::os
