#include "common/cli/self_description.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "common/cli/describe.h"

namespace mstune::cli {

SelfDescription::SelfDescription(CLI::App& app, std::string version)
    : app_(app), version_(std::move(version)) {
  app.add_option("--lang", language_, "Language: en or zh (default: that of the locale)")
      ->check(CLI::IsMember({"en", "zh"}));
  app.add_flag("--man", man_, "Print the man page");
  app.add_option("--completion", shell_, "Print what completes words in a shell: bash or zsh")
      ->check(CLI::IsMember({"bash", "zsh"}));
}

std::optional<std::string> SelfDescription::text() const {
  if (man_) {
    return man_page(describe(app_), version_);
  }
  if (shell_.empty()) {
    return std::nullopt;
  }
  const CommandDescription program = describe(app_);
  return shell_ == "bash" ? bash_completion(program) : zsh_completion(program);
}

}  // namespace mstune::cli
