#include "coordinator/build_artifact.h"

#include <algorithm>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

constexpr std::string_view kSuffix = ".om";

bool was_written(const ArtifactFile& file, const std::vector<ArtifactFile>& before) {
  return std::find(before.begin(), before.end(), file) == before.end();
}

Message none_produced(const ArtifactSearch& search, bool is_left_over, bool is_doubled) {
  if (is_left_over) {
    return message(
        "build.left_over",
        "the build wrote no OM: {}/{}.om is left over from an earlier build and does "
        "not count: let --compile-command write to {{om_prefix}}, or use a fresh --om-dir "
        "or --output-dir; see {}",
        search.directory, search.prefix, search.log);
  }
  if (is_doubled) {
    return message("build.doubled_suffix",
                   "the build wrote {}.om.om: atc appends .om by itself, so write {{om_prefix}} "
                   "instead of {{om}} in --compile-command",
                   search.prefix);
  }
  const Message hint =
      search.directory.find(kSuffix) == std::string::npos
          ? Message{}
          : message("build.confusing_directory",
                    " The directory has \".om\" in its name: atc puts the platform there for "
                    "dynamic shapes, so use another one.");
  return message("build.no_artifact",
                 "the build ended well but wrote neither {}.om nor {}_<os>_<cpu>.om into {}: does "
                 "--compile-command put its output at {{om_prefix}} (atc) or {{om}} (a program "
                 "that takes the whole name)?{} See {}",
                 search.prefix, search.prefix, search.directory, hint, search.log);
}

}  // namespace

bool is_artifact_name(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix) ||
      name.size() < prefix.size() + kSuffix.size()) {
    return false;
  }
  const std::string_view middle =
      name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
  if (middle.empty()) {
    return true;
  }
  const auto second = middle.find('_', 1);
  return middle.front() == '_' && second != std::string_view::npos && second > 1 &&
         second + 1 < middle.size() && middle.find('.') == std::string_view::npos;
}

std::string characters_atc_refuses(std::string_view path) {
  constexpr std::string_view kTaken = "_-./";
  std::string refused;
  for (const char character : path) {
    const bool is_taken =
        (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
        (character >= 'a' && character <= 'z') || static_cast<unsigned char>(character) >= 0x80 ||
        kTaken.find(character) != std::string_view::npos;
    if (!is_taken && refused.find(character) == std::string::npos) {
      refused += character;
    }
  }
  return refused;
}

std::variant<std::string, Message> find_artifact(const ArtifactSearch& search,
                                                 const std::vector<ArtifactFile>& before,
                                                 const std::vector<ArtifactFile>& after) {
  std::vector<std::string> written;
  bool is_left_over = false;
  bool is_doubled = false;
  for (const ArtifactFile& file : after) {
    if (file.name == search.prefix + ".om.om" && was_written(file, before)) {
      is_doubled = true;
    } else if (is_artifact_name(file.name, search.prefix)) {
      if (was_written(file, before)) {
        written.push_back(file.name);
      } else {
        is_left_over = true;
      }
    }
  }
  if (written.size() == 1) {
    return written.front();
  }
  if (written.empty()) {
    return none_produced(search, is_left_over, is_doubled);
  }
  return message("build.several_artifacts",
                 "the build wrote several OMs ({}): make it write exactly one for each candidate; "
                 "see {}",
                 fmt::format("{}", fmt::join(written, ", ")), search.log);
}

}  // namespace mstune::coordinator
