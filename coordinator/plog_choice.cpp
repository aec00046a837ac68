#include "coordinator/plog_choice.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace mstune::coordinator {
namespace {

// Far beyond what any agent keeps; a sum of as many as a message holds fits into 64 bits.
constexpr std::uint64_t kBelievableBytes = std::uint64_t{1} << 40U;

// "plog-4711_20261129174200123.log": after the process id stands the time.
std::string_view stamp(std::string_view path) {
  const auto place = path.rfind('_');
  return place == std::string_view::npos ? std::string_view() : path.substr(place + 1);
}

}  // namespace

WantedFiles choose_files(const std::vector<protocol::TrialFile>& files, PlogChoice choice,
                         bool failed, const FileLimits& limits) {
  WantedFiles result;
  std::vector<WantedFile> plog;
  std::uint64_t output_left = limits.output_bytes;
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    WantedFile wanted{i, files[i].path.value, 0, files[i].size};
    if (wanted.size > kBelievableBytes) {
      result.unbelievable.push_back(std::move(wanted.path));
    } else if (wanted.path.starts_with("plog/")) {
      plog.push_back(std::move(wanted));
    } else {
      result.output_beyond_bytes += wanted.size - std::min(wanted.size, output_left);
      wanted.size = std::min(wanted.size, output_left);
      output_left -= wanted.size;
      result.files.push_back(std::move(wanted));
    }
  }
  std::sort(plog.begin(), plog.end(), [](const WantedFile& left, const WantedFile& right) {
    return std::forward_as_tuple(stamp(right.path), right.path) <
           std::forward_as_tuple(stamp(left.path), left.path);
  });
  const bool any = choice == PlogChoice::all || (choice == PlogChoice::failed && failed);
  std::uint64_t left = any ? limits.plog_bytes : 0;
  for (WantedFile& wanted : plog) {
    const std::uint64_t taken = std::min(left, wanted.size);
    left -= taken;
    result.left_out_bytes += any ? wanted.size - taken : 0;
    if (!any || (taken == 0 && wanted.size > 0)) {
      continue;
    }
    if (taken < wanted.size) {
      wanted.begin = wanted.size - taken;
      wanted.path += ".end";
    }
    result.files.push_back(std::move(wanted));
  }
  // In the agent's order, which is that of the paths.
  std::sort(result.files.begin(), result.files.end(),
            [](const WantedFile& left_file, const WantedFile& right_file) {
              return left_file.number < right_file.number;
            });
  return result;
}

}  // namespace mstune::coordinator
