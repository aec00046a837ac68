#include "agent/store_job.h"

#include <variant>

#include "common/error.h"

namespace mstune::agent::download {
namespace {

using Result = std::optional<Event>;

Result carry_out(Store& store, std::uint64_t job, const LookUp& what, std::string_view) {
  if (store.contains(what.identity)) {
    return LookedUp{job, true, nullptr};
  }
  return LookedUp{job, false, store.partial_manifest(what.identity)};
}

Result carry_out(Store& store, std::uint64_t job, const Open& what, std::string_view) {
  return Opened{job, store.open(what.manifest)};
}

Result carry_out(Store& store, std::uint64_t job, const Write& what, std::string_view payload) {
  store.write(what.identity, what.first, what.count, payload);
  return Written{job};
}

Result carry_out(Store& store, std::uint64_t job, const Complete& what, std::string_view) {
  store.complete(what.identity);
  return Completed{job};
}

Result carry_out(Store& store, std::uint64_t, const Close& what, std::string_view) {
  store.close(what.identity);
  return std::nullopt;
}

}  // namespace

std::optional<Event> carry_out(Store& store, const StoreJob& job, std::string_view payload) {
  try {
    return std::visit([&](const auto& what) { return carry_out(store, job.job, what, payload); },
                      job.what);
  } catch (const Error& error) {
    return JobFailed{job.job, error.message()};
  }
}

}  // namespace mstune::agent::download
