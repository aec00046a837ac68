#include "common/os/awaited.h"

#include <algorithm>
#include <vector>

#include "common/os/process.h"

namespace mstune::os {
namespace {

std::vector<pid_t>& awaited() {
  static std::vector<pid_t> ids;
  return ids;
}

}  // namespace

void add_awaited(pid_t id) {
  awaited().push_back(id);
}

void remove_awaited(pid_t id) {
  std::erase(awaited(), id);
}

bool is_awaited(pid_t id) {
  return std::find(awaited().begin(), awaited().end(), id) != awaited().end();
}

}  // namespace mstune::os
