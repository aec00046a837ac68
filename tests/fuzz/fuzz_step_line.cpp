// Any bytes as one line: the parser says what they are and reads nothing beyond them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/step_record.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using mstune::fuzz::check;

void check_record(const mstune::StepRecord& record) {
  check(!record.api.empty() && !record.mode.empty());
  check(record.end_us >= record.start_us);
  check(mstune::Integer{record.cost_us} == record.end_us - record.start_us);
  for (const mstune::Integer value : {record.step, record.start_us, record.end_us, record.sync_us,
                                      record.ret, record.sync_ret, record.object.number}) {
    check(value >= mstune::kIntegerMin && value <= mstune::kIntegerMax);
  }
  check(mstune::parse_object_id(mstune::name(record.object)) == record.object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  std::string_view line(reinterpret_cast<const char*>(data), size);
  const bool holds_step = mstune::is_step_line(line);
  std::size_t found = 0;
  while (const auto text = mstune::take_step(line)) {
    ++found;
    if (const auto* record = std::get_if<mstune::StepRecord>(&*text)) {
      check_record(*record);
    } else {
      check(!std::get<mstune::MalformedStep>(*text).why.text.empty());
    }
  }
  check(line.empty());
  check((found > 0) == holds_step);
  check(found <= size / mstune::kStepTag.size());
  return 0;
}
