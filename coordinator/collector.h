// Fetches a finished trial's files from the agent: several requests under way, in pieces, to disk.
//
// Pure but for the files that it writes. The session sends the requests and hands in the answers;
// after a reconnect it asks again for what is missing. While another trial is measured on that
// machine it takes its time, because reading and sending disturb what is measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/ge_fallback.h"
#include "common/os/new_file.h"
#include "common/time.h"
#include "coordinator/plog_choice.h"
#include "protocol/gentle_pace.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

// A machine that measures is asked for files at protocol::kGentlePeriod a piece. Less of a file
// takes less of it, so that small files cost next to nothing.
class Collector {
 public:
  // Throws a protocol error when the name of one of the files leads out of `directory`.
  Collector(std::filesystem::path directory, protocol::TrialKey key, std::vector<WantedFile> files);

  // Requests to send now. Call it at first, after each answer, and at the deadline.
  // `sharers`: so many trials' files, with these, come from a machine that measures, and share the
  // gentle rate; 0: it measures nothing, and several pieces are asked for at a time.
  std::vector<protocol::Fetch> take_requests(TimePoint now, std::size_t sharers);
  // When the next piece may be asked for; kNever while nothing waits for the time.
  [[nodiscard]] TimePoint deadline() const { return deadline_; }
  // False: not an answer to anything that was asked for.
  bool take(const protocol::FileData& data, std::string_view bytes);
  // Nothing that was asked for will be answered: ask again, from where the files end.
  void start_again();

  [[nodiscard]] bool finished() const { return written_ == files_.size(); }
  // Grows with every answer.
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  [[nodiscard]] const std::vector<Message>& notes() const { return notes_; }
  // What GE's own lines in the files say.
  [[nodiscard]] const std::vector<GeFallback>& fallbacks() const { return scanner_.found(); }

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
  std::size_t written_ = 0;            // files before this one are whole
  std::uint64_t offset_ = 0;           // in the agent's file, of what comes next
  std::optional<os::NewFile> output_;  // of the file that comes
  std::vector<Pending> pending_;       // in the order of asking, which is that of the answers
  std::size_t ask_file_ = 0;           // what to ask for next
  std::uint64_t ask_offset_ = 0;
  TimePoint last_asked_ = TimePoint::min();
  std::uint64_t last_bytes_ = 0;  // that were asked for then
  TimePoint deadline_ = kNever;
  std::uint64_t answers_ = 0;
  std::vector<Message> notes_;
  GeFallbackScanner scanner_;
};

}  // namespace mstune::coordinator
