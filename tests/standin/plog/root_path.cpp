#include "tests/standin/plog/root_path.h"

#include <cstddef>
#include <string_view>

namespace standin::plog {

std::optional<std::string> choose_root(const RootWishes& wishes, const DirectoryProbe& probe) {
  const auto fits = [](const std::string& wanted) {
    return !wanted.empty() && wanted.size() <= kWishBytesMax;
  };
  std::optional<std::string> root;
  if (fits(wishes.process_log_path)) {
    root = probe(wishes.process_log_path);
  }
  if (!root && fits(wishes.work_path)) {
    root = probe(wishes.work_path + "/log");
  }
  if (!root && !wishes.passwd_home.empty()) {
    root = probe(wishes.passwd_home + "/ascend/log");
  }
  return root;
}

bool root_fits(const std::string& root) {
  constexpr std::size_t directory_bytes_max = 255;
  constexpr std::string_view longest_channel = "/security";
  return root.size() + longest_channel.size() <= directory_bytes_max;
}

std::string creation_path(const std::string& wanted) {
  return wanted.compare(0, 1, "/") == 0 ? wanted : "/" + wanted;
}

}  // namespace standin::plog
