// A file that comes into being whole: written under a name of its own beside the place that it
// takes at the end. Until then, and after a crash, what was in that place stands there.
//
// Throws as file.h does. A crash leaves the draft behind; remove_drafts() is for whoever comes next
// to that directory and knows that nobody writes there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/os/descriptor.h"

namespace mstune::os {

class NewFile {
 public:
  // Makes the draft; nothing stands at `target` yet, or what stood there.
  explicit NewFile(std::filesystem::path target, unsigned mode = 0644);
  // Takes the draft away, unless it was put in its place.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) = delete;

  void append(std::string_view bytes);
  // On disk, then in its place, and that on disk as well.
  void put_in_place();

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  std::filesystem::path target_;
  std::filesystem::path draft_;  // empty: in its place
  UniqueFd file_;
};

// Removes what crashes left of drafts directly in the directory and returns how many there were.
// One that is not there has none.
std::size_t remove_drafts(const std::filesystem::path& directory);

}  // namespace mstune::os
