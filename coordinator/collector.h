// Fetches a finished trial's files from the agent: several requests under way, in pieces, to disk.
//
// Pure but for the files that it writes. The session sends the requests and hands in the answers;
// after a reconnect it asks again for what is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/os/descriptor.h"
#include "coordinator/plog_choice.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

class Collector {
 public:
  // Throws a protocol error when the name of one of the files leads out of `directory`.
  Collector(std::filesystem::path directory, protocol::TrialKey key, std::vector<WantedFile> files);

  // Requests to send now. Call it at first and after each answer.
  std::vector<protocol::Fetch> take_requests();
  // False: not an answer to anything that was asked for.
  bool take(const protocol::FileData& data, std::string_view bytes);
  // Nothing that was asked for will be answered: ask again, from where the files end.
  void start_again();

  [[nodiscard]] bool finished() const { return written_ == files_.size(); }
  // Grows with every answer.
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  [[nodiscard]] const std::vector<Message>& notes() const { return notes_; }

 private:
  struct Pending {
    std::size_t file = 0;  // its place in files_
    std::uint64_t offset = 0;
  };

  void open(const WantedFile& file);
  void go_to(std::size_t file);

  std::filesystem::path directory_;
  protocol::TrialKey key_;
  std::vector<WantedFile> files_;
  std::size_t written_ = 0;   // files before this one are whole
  std::uint64_t offset_ = 0;  // in the agent's file, of what comes next
  os::UniqueFd output_;
  std::vector<Pending> pending_;  // in the order of asking, which is that of the answers
  std::size_t ask_file_ = 0;      // what to ask for next
  std::uint64_t ask_offset_ = 0;
  std::uint64_t answers_ = 0;
  std::vector<Message> notes_;
};

}  // namespace mstune::coordinator
