#include "coordinator/compile_command.h"

#include <array>
#include <string_view>

#include "common/error.h"
#include "common/words.h"

namespace mstune::coordinator {

std::vector<std::string> compile_words(const std::string& compile_command) {
  std::vector<std::string> words = split_words(compile_command, "--compile-command");
  if (!holds_placeholder(words, "{om}") && !holds_placeholder(words, "{om_prefix}")) {
    throw usage_error("options.no_om_placeholder",
                      "--compile-command must hold {{om_prefix}} (the OM's path without .om, for "
                      "atc) or {{om}} (the whole path)");
  }
  constexpr std::array<std::string_view, 5> kStreamOptions{
      "multi_stream_parallel_mode", "autoMultistreamParallelMode", "enable_single_stream",
      "enableSingleStream", "GE_AUTO_MULTISTREAM_PARALLEL_MODE"};
  for (const std::string& word : words) {
    for (const std::string_view option : kStreamOptions) {
      if (word.find(option) != std::string::npos) {
        throw usage_error("options.stream_option",
                          "--compile-command holds \"{}\": the pass writes each candidate onto the "
                          "graph, and a second source of truth would conflict; take it out",
                          word);
      }
    }
  }
  return words;
}

}  // namespace mstune::coordinator
