// The STEP records of one trial as they came, in below 64 bytes each.
//
// Lines go in from the live tail or from files; what is equal in many records (source, api, mode,
// object, codes) is kept once. Nothing is judged here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/event_line.h"
#include "common/message.h"
#include "common/object_id.h"
#include "common/step_record.h"

namespace mstune::coordinator {

// A number for each text, from 0 in the order of their coming.
class TextPool {
 public:
  std::uint32_t number_of(std::string_view text);
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const {
    return *texts_[number];
  }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<const std::string*> texts_;  // keys of the map, which do not move
  std::uint32_t last_ = 0;
};

// What many records have in common.
struct RecordShape {
  std::uint32_t source = 0;  // file, as a number in sources()
  std::uint32_t api = 0;
  std::uint32_t mode = 0;
  std::uint32_t line_high = 0;       // the upper half of the line number
  std::uint8_t unsigned_fields = 0;  // a bit for each field of a cell beyond 2^63-1
  ObjectId object;
  Integer ret = 0;
  Integer sync_ret = 0;
  std::optional<std::uint64_t> header_pid;

  friend auto operator<=>(const RecordShape&, const RecordShape&) = default;
};

struct MalformedEntry {
  std::string source;
  std::uint64_t line = 0;
  Message why;
};

// A line of GE's that says what it did with the model.
struct EventEntry {
  EventKind kind = EventKind::one_stream;
  std::string source;
  std::uint64_t line = 0;
  std::string text;
};

class RecordLog {
 public:
  // Parses a line and keeps the records in it, or the line where it is one of GE's at level EVENT.
  // `source` is a path relative to the trial's directory ("plog/run/plog/plog-42_2026....log",
  // "stdout.log"). Every other line is ignored.
  void add(std::string_view source, std::uint64_t line, std::string_view text);

  // Well-formed records, in the order of their coming.
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] Integer step(std::size_t record) const;
  [[nodiscard]] Integer start_us(std::size_t record) const;
  [[nodiscard]] Integer end_us(std::size_t record) const;
  [[nodiscard]] Integer sync_us(std::size_t record) const;
  [[nodiscard]] std::uint64_t cost_us(std::size_t record) const { return cell(record).cost_us; }
  [[nodiscard]] std::uint64_t line(std::size_t record) const;
  [[nodiscard]] std::uint32_t shape_number(std::size_t record) const { return cell(record).shape; }
  [[nodiscard]] const RecordShape& shape(std::size_t record) const {
    return *shapes_[cell(record).shape];
  }
  [[nodiscard]] const std::vector<const RecordShape*>& shapes() const { return shapes_; }
  [[nodiscard]] const TextPool& sources() const { return sources_; }
  [[nodiscard]] const TextPool& apis() const { return apis_; }
  [[nodiscard]] const TextPool& modes() const { return modes_; }

  // "plog/run/plog/plog-42_1.log:17": where a person finds the record.
  [[nodiscard]] std::string place(std::size_t record) const;

  // Malformed records: how many, and the first few of them.
  [[nodiscard]] std::uint64_t malformed_count() const { return malformed_count_; }
  [[nodiscard]] const std::vector<MalformedEntry>& malformed() const { return malformed_; }

  // The first kEventsKept of them.
  [[nodiscard]] const std::vector<EventEntry>& events() const { return events_; }
  static constexpr std::size_t kEventsKept = 1024;

 private:
  struct Cell {
    std::uint64_t step = 0;
    std::uint64_t start_us = 0;
    std::uint64_t cost_us = 0;
    std::uint64_t sync_us = 0;
    std::uint32_t line_low = 0;
    std::uint32_t shape = 0;
  };
  // Most trials have few records, and many may run at a time: 10 KiB each.
  static constexpr std::size_t kChunkBits = 8;
  static constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;

  [[nodiscard]] const Cell& cell(std::size_t record) const {
    return chunks_[record >> kChunkBits][record & (kChunkSize - 1)];
  }
  void keep(std::uint32_t source, std::uint64_t line, const StepRecord& record);
  std::uint32_t number_of(const RecordShape& shape);

  std::vector<std::unique_ptr<Cell[]>> chunks_;
  std::size_t size_ = 0;
  std::map<RecordShape, std::uint32_t> shape_numbers_;
  std::vector<const RecordShape*> shapes_;  // keys of the map, which do not move
  std::uint32_t last_shape_ = 0;
  TextPool sources_;
  TextPool apis_;
  TextPool modes_;
  std::uint64_t malformed_count_ = 0;
  std::vector<MalformedEntry> malformed_;
  std::vector<EventEntry> events_;
};

}  // namespace mstune::coordinator
