#include "agent/receiver.h"

#include <utility>

#include "agent/store_job.h"
#include "common/error.h"

namespace mstune::agent {
namespace {

// More than all credit windows together ask for: reaching it means a peer ignores its window.
constexpr std::size_t kJobsMax = 4096;

Message too_busy() {
  return message("agent.store_busy", "the agent's store has too much to do; try again");
}

// Throws a protocol error for an identity that is none.
std::vector<LayoutEntry> entries_of(const std::vector<protocol::FileReference>& files) {
  std::vector<LayoutEntry> entries;
  for (const protocol::FileReference& file : files) {
    const std::optional<Digest> identity = parse_raw_digest(file.identity.value);
    if (!identity) {
      throw protocol_error("agent.bad_identity", "file \"{}\" has an identity of {} bytes, not {}",
                           file.name, file.identity.value.size(), kDigestSize);
    }
    entries.push_back({file.name, *identity});
  }
  return entries;
}

}  // namespace

Receiver::Receiver(const std::filesystem::path& directory, const StoreOptions& options)
    : store_(std::make_unique<Store>(directory, options)),
      machine_(download::Options{}),
      worker_(kJobsMax) {}

bool Receiver::handle(SessionId session, const protocol::Request& request, std::string payload,
                      TimePoint now) {
  if (const auto* piece = std::get_if<protocol::Piece>(&request)) {
    const std::uint64_t bytes = payload.size();
    carry_out(machine_.handle(download::PieceArrived{session, *piece, bytes}, now),
              std::move(payload));
  } else if (const auto* offer = std::get_if<protocol::Offer>(&request)) {
    carry_out(machine_.handle(download::Arrived{session, *offer}, now), {});
  } else if (const auto* page = std::get_if<protocol::OfferPage>(&request)) {
    carry_out(machine_.handle(download::Arrived{session, *page}, now), {});
  } else if (const auto* withdraw = std::get_if<protocol::Withdraw>(&request)) {
    carry_out(machine_.handle(download::Arrived{session, *withdraw}, now), {});
  } else {
    return false;
  }
  return true;
}

void Receiver::end_session(SessionId session, TimePoint now) {
  carry_out(machine_.handle(download::SessionEnded{session}, now), {});
}

void Receiver::measure(std::vector<SessionId> sessions, TimePoint now) {
  if (sessions != measuring_) {
    measuring_ = sessions;
    carry_out(machine_.handle(download::Measuring{std::move(sessions)}, now), {});
  }
}

void Receiver::tick(TimePoint now) {
  if (now >= machine_.deadline()) {
    carry_out(machine_.handle(download::Tick{}, now), {});
  }
}

void Receiver::drain(TimePoint now) {
  worker_.drain();
  for (const download::Event& result : std::exchange(results_, {})) {
    carry_out(machine_.handle(result, now), {});
  }
}

void Receiver::carry_out(std::vector<download::Action> actions, std::string payload) {
  for (download::Action& action : actions) {
    if (auto* send = std::get_if<download::Send>(&action)) {
      std::visit([&](auto& outgoing) { reports_.emplace_back(send->session, std::move(outgoing)); },
                 send->message);
    } else {
      const auto& job = std::get<download::StoreJob>(action);
      const bool writes = std::holds_alternative<download::Write>(job.what);
      submit(job, writes ? std::exchange(payload, {}) : std::string());
    }
  }
}

void Receiver::submit(const download::StoreJob& job, std::string payload) {
  Store* store = store_.get();
  auto bytes = std::make_shared<std::string>(std::move(payload));  // std::function copies
  const bool taken = worker_.submit(
      [this, store, job, bytes]() -> os::Worker::Result {
        auto result = download::carry_out(*store, job, *bytes);
        return [this, result = std::move(result)] {
          if (result) {
            results_.push_back(*result);
          }
        };
      },
      [this, number = job.job](const Error& error) {
        results_.emplace_back(download::JobFailed{number, error.message()});
      });
  if (!taken) {
    results_.emplace_back(download::JobFailed{job.job, too_busy()});
  }
}

void Receiver::pin(const std::vector<protocol::FileReference>& files) {
  submit_quietly([entries = entries_of(files)](Store& store) {
    for (const LayoutEntry& entry : entries) {
      store.pin(entry.identity);
    }
  });
}

void Receiver::unpin(const std::vector<protocol::FileReference>& files) {
  submit_quietly([entries = entries_of(files)](Store& store) {
    for (const LayoutEntry& entry : entries) {
      store.unpin(entry.identity);
    }
  });
}

void Receiver::hold(const Digest& identity) {
  submit_quietly([identity](Store& store) { store.pin(identity); });
}

void Receiver::let_go(const FilesLeft& files) {
  if (files.unneeded.empty()) {
    return;
  }
  submit_quietly([files](Store& store) {
    for (const Digest& identity : files.unneeded) {
      store.unpin(identity);
    }
    for (const Digest& identity : files.unwanted) {
      store.forget(identity);
    }
  });
}

void Receiver::inspect(std::function<void(const StoreUsage&)> done) {
  Store* store = store_.get();
  static_cast<void>(worker_.submit(
      [store, done = std::move(done)]() -> os::Worker::Result {
        return [done, usage = store->usage()] { done(usage); };
      },
      [](const Error& /*error*/) {}));
}

void Receiver::purge(std::function<void(std::uint64_t, const StoreUsage&)> done) {
  Store* store = store_.get();
  static_cast<void>(worker_.submit(
      [store, done = std::move(done)]() -> os::Worker::Result {
        const std::uint64_t freed = store->purge();
        return [done, freed, usage = store->usage()] { done(freed, usage); };
      },
      [](const Error& /*error*/) {}));
}

void Receiver::submit_quietly(std::function<void(Store&)> work) {
  Store* store = store_.get();
  static_cast<void>(worker_.submit(
      [store, work = std::move(work)]() -> os::Worker::Result {
        work(*store);
        return [] {};
      },
      [](const Error& /*error*/) {}));
}

void Receiver::lay_out(const std::filesystem::path& directory,
                       const std::vector<protocol::FileReference>& files, const Done& done) {
  Store* store = store_.get();
  const bool taken = worker_.submit(
      [store, directory, entries = entries_of(files), done]() -> os::Worker::Result {
        store->lay_out(directory, entries);
        return [done] { done(std::nullopt); };
      },
      [done](const Error& error) { done(error.message()); });
  if (!taken) {
    done(too_busy());
  }
}

std::vector<std::pair<SessionId, protocol::Report>> Receiver::take_reports() {
  return std::exchange(reports_, {});
}

}  // namespace mstune::agent
