#include "coordinator/record_log.h"

#include <utility>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

constexpr std::size_t kMalformedKept = 5;

// Bits of RecordShape::unsigned_fields.
constexpr std::uint8_t kStepBit = 1;
constexpr std::uint8_t kStartBit = 2;
constexpr std::uint8_t kSyncBit = 4;

std::uint8_t bit_if_unsigned(Integer value, std::uint8_t bit) {
  return value > Integer{INT64_MAX} ? bit : std::uint8_t{0};
}

Integer widen(std::uint64_t bits, bool is_unsigned) {
  return is_unsigned ? Integer{bits} : Integer{static_cast<std::int64_t>(bits)};
}

}  // namespace

std::uint32_t TextPool::number_of(std::string_view text) {
  // Records of one kind come in rows.
  if (last_ < texts_.size() && *texts_[last_] == text) {
    return last_;
  }
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) {
    last_ = found->second;
    return last_;
  }
  last_ = static_cast<std::uint32_t>(texts_.size());
  const auto added = numbers_.emplace(std::string(text), last_).first;
  texts_.push_back(&added->first);
  return last_;
}

void RecordLog::add(std::string_view source, std::uint64_t line, std::string_view text) {
  if (const auto kind = event_kind(text); kind && events_.size() < kEventsKept) {
    events_.push_back({*kind, std::string(source), line, std::string(text)});
  }
  while (const auto step = take_step(text)) {
    if (const auto* record = std::get_if<StepRecord>(&*step)) {
      keep(sources_.number_of(source), line, *record);
      continue;
    }
    ++malformed_count_;
    if (malformed_.size() < kMalformedKept) {
      malformed_.push_back({std::string(source), line, std::get<MalformedStep>(*step).why});
    }
  }
}

void RecordLog::keep(std::uint32_t source, std::uint64_t line, const StepRecord& record) {
  RecordShape shape;
  shape.source = source;
  shape.api = apis_.number_of(record.api);
  shape.mode = modes_.number_of(record.mode);
  shape.line_high = static_cast<std::uint32_t>(line >> 32U);
  shape.unsigned_fields = static_cast<std::uint8_t>(bit_if_unsigned(record.step, kStepBit) |
                                                    bit_if_unsigned(record.start_us, kStartBit) |
                                                    bit_if_unsigned(record.sync_us, kSyncBit));
  shape.object = record.object;
  shape.ret = record.ret;
  shape.sync_ret = record.sync_ret;
  shape.header_pid = record.header_pid;

  if (size_ == chunks_.size() * kChunkSize) {
    chunks_.push_back(std::make_unique<Cell[]>(kChunkSize));
  }
  Cell& cell = chunks_.back()[size_ % kChunkSize];
  cell.step = static_cast<std::uint64_t>(record.step);
  cell.start_us = static_cast<std::uint64_t>(record.start_us);
  cell.cost_us = record.cost_us;
  cell.sync_us = static_cast<std::uint64_t>(record.sync_us);
  cell.line_low = static_cast<std::uint32_t>(line);
  cell.shape = number_of(shape);
  ++size_;
}

std::uint32_t RecordLog::number_of(const RecordShape& shape) {
  if (last_shape_ < shapes_.size() && *shapes_[last_shape_] == shape) {
    return last_shape_;
  }
  const auto [entry, added] =
      shape_numbers_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (added) {
    shapes_.push_back(&entry->first);
  }
  last_shape_ = entry->second;
  return last_shape_;
}

Integer RecordLog::step(std::size_t record) const {
  return widen(cell(record).step, (shape(record).unsigned_fields & kStepBit) != 0);
}

Integer RecordLog::start_us(std::size_t record) const {
  return widen(cell(record).start_us, (shape(record).unsigned_fields & kStartBit) != 0);
}

Integer RecordLog::end_us(std::size_t record) const {
  return start_us(record) + Integer{cell(record).cost_us};
}

Integer RecordLog::sync_us(std::size_t record) const {
  return widen(cell(record).sync_us, (shape(record).unsigned_fields & kSyncBit) != 0);
}

std::uint64_t RecordLog::line(std::size_t record) const {
  return (std::uint64_t{shape(record).line_high} << 32U) | cell(record).line_low;
}

std::string RecordLog::place(std::size_t record) const {
  return fmt::format("{}:{}", sources_[shape(record).source], line(record));
}

}  // namespace mstune::coordinator
