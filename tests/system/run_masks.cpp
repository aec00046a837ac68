#include "tests/system/run_masks.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/system/campaign.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// ---- the list ----

// Members of documents, at any depth.
const std::set<std::string> kMaskedKeys{
    "wall_seconds", "attempt",           "main_process", "session_id",   "command",
    "om_directory", "working_directory", "target_file",  "target_files",
    "state",  // of an agent: it may have ended by now
    "boot_id",      "readings",
    "facts",       // what the agent saw at its moment: times, processes, free space
    "plog_bytes",  // process ids are in it, of four digits or of five
};
// Files whose content tells of their making and nothing else: that they are there is compared.
const std::set<std::string> kMaskedFiles{"report.html"};
// Texts, in files that are no documents and in the names of files.
const std::array<std::pair<std::regex, const char*>, 3> kMaskedTexts{{
    {std::regex(R"(plog-\d+_)"), "plog-PID_"},
    {std::regex(R"((GE\()\d+(,[^\]]*\[step_recorder\.cc:137\])\d+)"), "$1PID$2PID"},
    {std::regex(R"(,\d+\n)"), ",PID\n"},  // the last column of steps.csv
}};
// Texts, in all files: where it ran.
const std::array<std::pair<std::regex, const char*>, 3> kMaskedPlaces{{
    {std::regex(R"(/tmp/mstune-test-\w+)"), "DIRECTORY"},
    {std::regex(R"(run_\d+_\d+_\d+)"), "RUN"},
    {std::regex(R"(127\.0\.0\.1:\d+)"), "AGENT"},
}};
// Where devices share the rounds: members of documents, and texts in the names of files.
const std::set<std::string> kMaskedDeviceKeys{"device", "devices", "chips"};
const std::pair<std::regex, const char*> kMaskedDevice{R"(_d\d+)", "_dN"};
// What is no part of the result.
const std::set<std::string> kPassedOver{"attempts"};

// ---- how it is applied ----

using Keys = std::set<std::string>;

json masked(json document, const Keys& keys) {
  if (document.is_object()) {
    for (const std::string& key : keys) {
      document.erase(key);
    }
  }
  if (document.is_structured()) {
    for (json& inner : document) {
      inner = masked(inner, keys);
    }
  }
  return document;
}

template <typename Masks>
std::string masked_by(const Masks& masks, std::string text) {
  for (const auto& [pattern, mask] : masks) {
    text = std::regex_replace(text, pattern, mask);
  }
  return text;
}

std::string masked(std::string text) {
  return masked_by(kMaskedTexts, masked_by(kMaskedPlaces, std::move(text)));
}

std::string masked_file(const fs::path& file, const Keys& keys) {
  if (kMaskedFiles.contains(file.filename().string())) {
    return "";
  }
  const std::string text = read_text(file);
  if (file.extension() != ".json") {
    return masked(text);
  }
  const json document = json::parse(text, nullptr, false);
  return document.is_discarded() ? "NO JSON: " + text
                                 : masked_by(kMaskedPlaces, masked(document, keys).dump(1) + "\n");
}

std::string first_difference(const std::string& wanted, const std::string& found) {
  std::istringstream wanted_lines(wanted);
  std::istringstream found_lines(found);
  for (int line = 1;; ++line) {
    std::string left;
    std::string right;
    const bool more_wanted = static_cast<bool>(std::getline(wanted_lines, left));
    const bool more_found = static_cast<bool>(std::getline(found_lines, right));
    if (!more_wanted && !more_found) {
      return "nothing";
    }
    if (more_wanted != more_found || left != right) {
      return "line " + std::to_string(line) + ": \"" + left + "\" is \"" + right + "\"";
    }
  }
}

}  // namespace

std::map<std::string, std::string> masked_run(const fs::path& run, bool devices_share_rounds) {
  Keys keys = kMaskedKeys;
  if (devices_share_rounds) {
    keys.insert(kMaskedDeviceKeys.begin(), kMaskedDeviceKeys.end());
  }
  std::map<std::string, std::string> files;
  for (auto at = fs::recursive_directory_iterator(run); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string path = at->path().lexically_relative(run).string();
    const std::string name =
        devices_share_rounds
            ? std::regex_replace(masked(path), kMaskedDevice.first, kMaskedDevice.second)
            : masked(path);
    if (kPassedOver.contains(path)) {
      at.disable_recursion_pending();
    } else if (at->is_directory()) {
      files[name + "/"] = "";
    } else {
      files[name] = masked_file(at->path(), keys);
    }
  }
  return files;
}

std::vector<std::string> differences(const std::map<std::string, std::string>& wanted,
                                     const std::map<std::string, std::string>& found) {
  std::vector<std::string> result;
  for (const auto& [name, text] : wanted) {
    const auto other = found.find(name);
    if (other == found.end()) {
      result.push_back(name + " is missing");
    } else if (other->second != text) {
      result.push_back(name + ": " + first_difference(text, other->second));
    }
  }
  for (const auto& [name, text] : found) {
    if (!wanted.contains(name)) {
      result.push_back(name + " is too much");
    }
  }
  return result;
}

}  // namespace mstune::test
