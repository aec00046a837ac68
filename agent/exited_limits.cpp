#include "agent/exited_limits.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "protocol/limits.h"

namespace mstune::agent {
namespace {

constexpr std::size_t kAroundFile = 32;  // what the wire adds to a path
constexpr std::size_t kAroundFact = 16;
constexpr const char* kFactsLeftOut = "facts_left_out";
constexpr std::size_t kDetailMax = 4096;

std::size_t size_of(std::string_view name, const protocol::Fact& fact) {
  const auto* text = std::get_if<std::string>(&fact);
  return name.size() + kAroundFact + (text != nullptr ? text->size() : 0);
}

std::size_t size_of(const protocol::Facts& facts) {
  std::size_t bytes = 0;
  for (const auto& [name, fact] : facts) {
    bytes += size_of(name, fact);
  }
  return bytes;
}

}  // namespace

void add_fact(protocol::Facts& facts, std::string_view name, protocol::Fact value) {
  if (auto* text = std::get_if<std::string>(&value);
      text != nullptr && text->size() > protocol::kFactTextBytesMax) {
    text->erase(0, text->size() - protocol::kFactTextBytesMax);
  }
  const std::string key(name.substr(0, protocol::kFactNameBytesMax));
  // A place is kept for the count of what was left out.
  const bool fits = facts.size() + 1 < protocol::kFactsMax &&
                    size_of(facts) + size_of(key, value) + protocol::kFactNameBytesMax <=
                        protocol::kFactsBytesMax;
  if (fits) {
    facts.insert_or_assign(key, std::move(value));
    return;
  }
  protocol::Fact& count = facts.try_emplace(kFactsLeftOut, std::int64_t{0}).first->second;
  if (auto* number = std::get_if<std::int64_t>(&count)) {
    ++*number;
  }
}

std::size_t plog_files_too_many(const std::vector<protocol::TrialFile>& files) {
  std::size_t bytes = 0;
  for (const protocol::TrialFile& file : files) {
    bytes += file.path.value.size() + kAroundFile;
  }
  std::size_t too_many = 0;
  for (const protocol::TrialFile& file : files) {
    if (bytes <= protocol::kFilesBytesMax) {
      break;
    }
    if (file.path.value.starts_with("plog/")) {
      bytes -= file.path.value.size() + kAroundFile;
      ++too_many;
    }
  }
  return too_many;
}

void keep_within_limits(protocol::Exited& exited) {
  std::string& tail = exited.output_tail.value;
  if (tail.size() > protocol::kTailBytesMax) {
    tail.erase(0, tail.size() - protocol::kTailBytesMax);
  }
  exited.detail.text.resize(std::min(exited.detail.text.size(), kDetailMax));
  for (std::string& argument : exited.detail.arguments) {
    argument.resize(std::min(argument.size(), kDetailMax));
  }
}

}  // namespace mstune::agent
