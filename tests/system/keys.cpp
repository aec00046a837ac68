#include "tests/system/keys.h"

#include <filesystem>
#include <stdexcept>

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

void keygen(Workplace& place, const std::string& name, const std::string& file) {
  const Ended ended = place.run({program("mstune"), "keygen", name, "--file", file});
  if (ended.status != 0) {
    throw std::runtime_error("keygen failed: " + ended.output);
  }
}

}  // namespace

void make_keys(Workplace& place) {
  const fs::path& directory = place.directory();
  if (fs::exists(directory / "agent.key")) {
    return;
  }
  const fs::path identity = directory / ".config" / "mstune" / "id.key";
  keygen(place, "box", (directory / "agent.key").string());
  keygen(place, "ann", identity.string());
  fs::create_directory(directory / "authorized");
  fs::copy_file(directory / ".config" / "mstune" / "id.pub", directory / "authorized" / "ann.pub");
}

std::vector<std::string> key_options(const Workplace& place) {
  return {"--key", (place.directory() / "agent.key").string(), "--authorized",
          (place.directory() / "authorized").string()};
}

std::string public_key(const Workplace& place, const std::string& file) {
  const std::string line = read_text(place.directory() / file);
  const auto blank = line.find(' ');
  return line.substr(blank + 1, line.find('\n') - blank - 1);
}

}  // namespace mstune::test
