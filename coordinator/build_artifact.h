// Which file a build has made. Pure: it looks at lists of files from before and after.
//
// atc appends ".om" to its output prefix, and for a dynamic-shape model it inserts "_<os>_<cpu>"
// before that: both names count, and only a file that this build wrote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/message.h"

namespace mstune::coordinator {

// A file of the OM directory; any write changes the stamp, that of an equal file with its times
// (cp -p), too.
struct ArtifactFile {
  std::string name;
  std::string stamp;  // inode, size, times of data and of inode, as one text
  friend bool operator==(const ArtifactFile&, const ArtifactFile&) = default;
};

// True for "<prefix>.om" and "<prefix>_<os>_<cpu>.om", as in "model_cv_linux_x86_64.om".
bool is_artifact_name(std::string_view name, std::string_view prefix);

// Those of a path that atc's --output refuses, each once; CJK is taken.
std::string characters_atc_refuses(std::string_view path);

struct ArtifactSearch {
  std::string prefix;     // name without ".om", as in "model_LoadBalance4"
  std::string directory;  // for the sentences
  std::string log;        // path of the build's log, for the sentences
};

// The name of the one artifact, or why there is none that can be used.
std::variant<std::string, Message> find_artifact(const ArtifactSearch& search,
                                                 const std::vector<ArtifactFile>& before,
                                                 const std::vector<ArtifactFile>& after);

}  // namespace mstune::coordinator
