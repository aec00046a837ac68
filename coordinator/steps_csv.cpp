#include "coordinator/steps_csv.h"

#include <iterator>
#include <string>

#include <fmt/format.h>

#include "coordinator/csv.h"

namespace mstune::coordinator {

void format_steps_csv(const StepSet& steps, const std::function<void(std::string_view)>& sink) {
  constexpr std::size_t kPiece = 64 * 1024;
  const RecordLog& log = steps.log();
  std::string piece = "execution,api,mode,step,start_us,end_us,cost_us,sync_us,ret,sync_ret,pid\n";
  for (const std::uint32_t record : steps.records()) {
    const RecordShape& shape = log.shape(record);
    fmt::format_to(std::back_inserter(piece), "{},{},{},{},{},{},{},{},{},{},{}\n",
                   name(shape.object), csv_field(log.apis()[shape.api]),
                   csv_field(log.modes()[shape.mode]), log.step(record), log.start_us(record),
                   log.end_us(record), log.cost_us(record), log.sync_us(record), shape.ret,
                   shape.sync_ret, steps.pid(record));
    if (piece.size() >= kPiece) {
      sink(piece);
      piece.clear();
    }
  }
  sink(piece);
}

}  // namespace mstune::coordinator
