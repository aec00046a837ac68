#include "coordinator/step_set.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <tuple>

namespace mstune::coordinator {
namespace {

// Everything that a record says, the process apart.
std::strong_ordering compare_content(const RecordLog& log, std::size_t left, std::size_t right) {
  const RecordShape& a = log.shape(left);
  const RecordShape& b = log.shape(right);
  const auto rest = [](const RecordShape& shape) {
    return std::tie(shape.object, shape.api, shape.mode, shape.ret, shape.sync_ret);
  };
  if (&a != &b) {
    if (const auto order = rest(a) <=> rest(b); order != 0) {
      return order;
    }
  }
  const auto numbers = [&log](std::size_t record) {
    return std::tuple(log.step(record), log.start_us(record), log.cost_us(record),
                      log.sync_us(record));
  };
  return numbers(left) <=> numbers(right);
}

}  // namespace

StepSet::StepSet(const RecordLog& log) : log_(log), pids_(log), records_(log.size()) {
  std::iota(records_.begin(), records_.end(), 0U);
  drop_copies_without_process();
  sort();
  merge();
}

void StepSet::drop_copies_without_process() {
  if (pids_.all_known()) {
    return;
  }
  std::sort(records_.begin(), records_.end(), [this](std::uint32_t left, std::uint32_t right) {
    const auto order = compare_content(log_, left, right);
    if (order != 0) {
      return order < 0;
    }
    const bool left_known = pids_.known(left);
    return left_known != pids_.known(right) ? left_known : left < right;
  });
  std::size_t kept = 0;
  for (const std::uint32_t record : records_) {
    // Those with a process come first among equals, so the last one kept tells.
    const bool copy =
        kept > 0 && !pids_.known(record) && compare_content(log_, records_[kept - 1], record) == 0;
    if (!copy) {
      records_[kept++] = record;
    }
  }
  records_.resize(kept);
}

void StepSet::sort() {
  const auto before = [this](std::uint32_t left, std::uint32_t right) {
    if (log_.shape_number(left) != log_.shape_number(right) || pid(left) != pid(right)) {
      const auto key = [this](std::uint32_t record) {
        return std::tuple(pid(record), log_.shape(record).object);
      };
      if (const auto order = key(left) <=> key(right); order != 0) {
        return order < 0;
      }
    }
    const auto key = [this](std::uint32_t record) {
      return std::tuple(log_.step(record), log_.shape(record).api, record);
    };
    return key(left) < key(right);
  };
  // A single process writes its records in this very order.
  if (!std::is_sorted(records_.begin(), records_.end(), before)) {
    std::sort(records_.begin(), records_.end(), before);
  }
}

bool StepSet::same_step(std::size_t left, std::size_t right) const {
  return pid(left) == pid(right) && log_.step(left) == log_.step(right) &&
         log_.shape(left).api == log_.shape(right).api &&
         log_.shape(left).object == log_.shape(right).object;
}

void StepSet::merge() {
  std::size_t kept = 0;
  bool conflicting = false;  // the step of the record kept last
  for (const std::uint32_t record : records_) {
    if (kept == 0 || !same_step(records_[kept - 1], record)) {
      if (kept == 0 || pid(records_[kept - 1]) != pid(record)) {
        ++processes_;
      }
      records_[kept++] = record;
      conflicting = false;
      continue;
    }
    if (!conflicting && compare_content(log_, records_[kept - 1], record) != 0) {
      conflicting = true;
      ++conflict_count_;
      if (!first_conflict_) {
        first_conflict_ = Conflict{records_[kept - 1], record};
      }
    }
  }
  records_.resize(kept);
}

}  // namespace mstune::coordinator
