// A target file of the sample, which reached its targets by ssh, as one of ours. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mstune::coordinator {

struct RewrittenTarget {
  std::string text;                  // of the new file; its "server_key" is empty
  std::vector<std::string> dropped;  // fields that mean nothing any more
};

// Nothing where it is none of the sample's: one JSON object with "user" or "remote_workdir". The
// sample gave "run_command" to a shell on the target: where that matters, the new file says so.
std::optional<RewrittenTarget> rewrite_sample_target(std::string_view text);

// "dir/target.mstune.json" for "dir/target.json": beside it, as its "files" would be.
std::string rewritten_file(const std::string& file);

}  // namespace mstune::coordinator
