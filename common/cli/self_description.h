// The options by which a program without subcommands describes itself: --man, --completion; and
// --lang, which chosen_language() has read before.
#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace mstune::cli {

class SelfDescription {
 public:
  // Adds the options to `app`, which must not outlive this.
  SelfDescription(CLI::App& app, std::string version);

  // After parsing: what was asked for; empty when nothing was.
  [[nodiscard]] std::optional<std::string> text() const;

 private:
  CLI::App& app_;
  std::string version_;
  std::string language_;
  std::string shell_;
  bool man_ = false;
};

}  // namespace mstune::cli
