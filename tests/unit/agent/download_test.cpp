#include "agent/download.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/chunker.h"

namespace mstune::agent::download {
namespace {

using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};

std::shared_ptr<const Manifest> manifest_of(std::size_t chunks, std::uint64_t length = 1000) {
  ManifestBuilder builder;
  for (std::size_t i = 0; i < chunks; ++i) {
    builder.add(digest_of(std::to_string(i)), length);
  }
  return std::make_shared<const Manifest>(builder.finish());
}

protocol::Offer offer_of(const Manifest& manifest, std::uint64_t upload) {
  return {upload, {raw(manifest.identity)}, manifest.size, manifest.chunks.size()};
}

protocol::OfferPage page_of(const Manifest& manifest, std::uint64_t upload) {
  protocol::OfferPage page{upload, 0, {}, {}};
  for (const Chunk& chunk : manifest.chunks) {
    page.digests.value += raw(chunk.digest);
    page.lengths.push_back(chunk.length);
  }
  return page;
}

template <typename T>
std::vector<T> sent(const std::vector<Action>& actions, SessionId session = 1) {
  std::vector<T> found;
  for (const Action& action : actions) {
    const auto* const send = std::get_if<Send>(&action);
    if (send != nullptr && send->session == session) {
      if (const T* const known = std::get_if<T>(&send->message)) {
        found.push_back(*known);
      }
    }
  }
  return found;
}

// The numbers of the jobs of one kind.
template <typename T>
std::vector<std::uint64_t> jobs(const std::vector<Action>& actions) {
  std::vector<std::uint64_t> found;
  for (const Action& action : actions) {
    const auto* const job = std::get_if<StoreJob>(&action);
    if (job != nullptr && std::holds_alternative<T>(job->what)) {
      found.push_back(job->job);
    }
  }
  return found;
}

std::string refusal(const std::vector<Action>& actions) {
  const auto refused = sent<protocol::Refused>(actions);
  return refused.empty() ? "none" : refused.front().why.id;
}

Event arrived(Incoming message, SessionId session = 1) {
  return Arrived{session, std::move(message)};
}

// A machine whose session 1 may send all chunks of a manifest as upload 1.
struct Receiving {
  explicit Receiving(std::shared_ptr<const Manifest> chosen, const Options& options = {})
      : manifest(std::move(chosen)), machine(options) {
    auto actions = machine.handle(arrived(offer_of(*manifest, 1)), kStart);
    actions = machine.handle(LookedUp{jobs<LookUp>(actions).at(0), false, nullptr}, kStart);
    REQUIRE(sent<protocol::ListRequest>(actions).size() == 1);
    actions = machine.handle(arrived(page_of(*manifest, 1)), kStart);
    actions = machine.handle(
        Opened{jobs<Open>(actions).at(0), std::vector<bool>(manifest->chunks.size(), true)},
        kStart);
    REQUIRE(sent<protocol::Need>(actions).size() == 1);
  }

  std::vector<Action> piece(std::uint64_t first, std::uint64_t count, std::uint64_t bytes) {
    return machine.handle(PieceArrived{1, {1, first, count}, bytes}, kStart);
  }

  std::shared_ptr<const Manifest> manifest;
  Machine machine;
};

TEST_CASE("download: a blob that is there is said to be stored, without its list") {
  const auto manifest = manifest_of(3);
  Machine machine((Options()));
  const auto actions = machine.handle(arrived(offer_of(*manifest, 1)), kStart);
  CHECK(sent<protocol::Stored>(
            machine.handle(LookedUp{jobs<LookUp>(actions).at(0), true, nullptr}, kStart))
            .size() == 1);
  CHECK(machine.finished());
}

TEST_CASE("download: pieces are written, acknowledged and completed") {
  Receiving receiving(manifest_of(3));
  auto actions = receiving.piece(0, 2, 2000);
  CHECK(sent<protocol::Taken>(actions).empty());
  actions = receiving.machine.handle(Written{jobs<Write>(actions).at(0)}, kStart);
  CHECK(sent<protocol::Taken>(actions).at(0).bytes == 2000);
  actions = receiving.piece(2, 1, 1000);
  actions = receiving.machine.handle(Written{jobs<Write>(actions).at(0)}, kStart);
  CHECK(sent<protocol::Taken>(actions).at(0).bytes == 3000);
  actions = receiving.machine.handle(Completed{jobs<Complete>(actions).at(0)}, kStart);
  CHECK(sent<protocol::Stored>(actions).size() == 1);
  CHECK(receiving.machine.finished());
  CHECK(receiving.machine.deadline() == kNever);
}

TEST_CASE("download: the list of an upload that broke off is not asked for again") {
  const auto manifest = manifest_of(3);
  Machine machine((Options()));
  auto actions = machine.handle(arrived(offer_of(*manifest, 1)), kStart);
  actions = machine.handle(LookedUp{jobs<LookUp>(actions).at(0), false, manifest}, kStart);
  CHECK(sent<protocol::ListRequest>(actions).empty());
  actions = machine.handle(Opened{jobs<Open>(actions).at(0), {false, true, false}}, kStart);
  CHECK(sent<protocol::Need>(actions).at(0).lacks.value == "\x02");
}

TEST_CASE("download: a file that lacks nothing is completed at once") {
  const auto empty = manifest_of(0);
  Machine machine((Options()));
  auto actions = machine.handle(arrived(offer_of(*empty, 1)), kStart);
  actions = machine.handle(LookedUp{jobs<LookUp>(actions).at(0), false, nullptr}, kStart);
  actions = machine.handle(Opened{jobs<Open>(actions).at(0), {}}, kStart);
  CHECK(jobs<Complete>(actions).size() == 1);
}

TEST_CASE("download: a session's offers are served one after the other") {
  const auto first = manifest_of(3);
  const auto second = manifest_of(4);
  Machine machine((Options()));
  auto actions = machine.handle(arrived(offer_of(*first, 1)), kStart);
  CHECK(jobs<LookUp>(machine.handle(arrived(offer_of(*second, 2)), kStart)).empty());
  CHECK(jobs<LookUp>(machine.handle(arrived(offer_of(*second, 1), 2), kStart)).size() == 1);
  actions = machine.handle(LookedUp{jobs<LookUp>(actions).at(0), true, nullptr}, kStart);
  CHECK(jobs<LookUp>(actions).empty());  // session 2 is receiving that one
  actions = machine.handle(SessionEnded{2}, kStart);
  CHECK(jobs<LookUp>(actions).size() == 1);
}

TEST_CASE("download: of two sessions with the same blob one sends, the other waits and is served") {
  Receiving receiving(manifest_of(1));
  Machine& machine = receiving.machine;
  CHECK(machine.handle(arrived(offer_of(*receiving.manifest, 1), 2), kStart).empty());
  CHECK(sent<protocol::Waiting>(machine.handle(Tick{}, kStart + seconds(2)), 2).size() == 1);
  SUBCASE("the first one finishes") {
    auto actions = receiving.piece(0, 1, 1000);
    actions = machine.handle(Written{jobs<Write>(actions).at(0)}, kStart);
    actions = machine.handle(Completed{jobs<Complete>(actions).at(0)}, kStart);
    actions = machine.handle(LookedUp{jobs<LookUp>(actions).at(0), true, nullptr}, kStart);
    CHECK(sent<protocol::Stored>(actions, 2).size() == 1);
  }
  SUBCASE("the first one goes away") {
    const auto actions = machine.handle(SessionEnded{1}, kStart);
    CHECK(jobs<Close>(actions).size() == 1);
    CHECK(jobs<LookUp>(actions).size() == 1);
  }
}

TEST_CASE("download: results that come after the end of their upload are passed over") {
  Receiving receiving(manifest_of(3));
  const auto job = jobs<Write>(receiving.piece(0, 1, 1000)).at(0);
  CHECK(jobs<Close>(receiving.machine.handle(arrived(protocol::Withdraw{1}), kStart)).size() == 1);
  CHECK(receiving.machine.handle(Written{job}, kStart).empty());
  CHECK(receiving.machine.handle(JobFailed{job, {}}, kStart).empty());
  CHECK(receiving.machine.handle(Written{999}, kStart).empty());
  CHECK(receiving.piece(1, 1, 1000).empty());
  CHECK(receiving.machine.finished());
}

TEST_CASE("download: a failed job refuses its upload with the store's reason") {
  Receiving receiving(manifest_of(3));
  const auto job = jobs<Write>(receiving.piece(0, 1, 1000)).at(0);
  const auto actions =
      receiving.machine.handle(JobFailed{job, message("store.disk_full", "full")}, kStart);
  CHECK(refusal(actions) == "store.disk_full");
  CHECK(jobs<Close>(actions).size() == 1);
}

TEST_CASE("download: a silent sender is given up at the deadline, but not while we are at work") {
  Options options;
  options.silence_max = seconds(30);
  options.waiting_every = seconds(1000);
  Receiving receiving(manifest_of(3), options);
  CHECK(receiving.machine.deadline() == kStart + seconds(30));
  const auto job = jobs<Write>(receiving.piece(0, 1, 1000)).at(0);
  CHECK(receiving.machine.handle(Tick{}, kStart + seconds(500)).empty());
  receiving.machine.handle(Written{job}, kStart + seconds(500));
  CHECK(receiving.machine.handle(Tick{}, kStart + seconds(530) - Duration(1)).empty());
  CHECK(refusal(receiving.machine.handle(Tick{}, kStart + seconds(530))) ==
        "transfer.sender_silent");
}

// One piece of each, all of which are lacking.
std::shared_ptr<const Manifest> large(std::size_t pieces) {
  return manifest_of(pieces, protocol::kPieceBytesMax);
}

TEST_CASE("download: beside another session's trial a piece is granted each period") {
  const Options options;
  Receiving receiving(large(4));
  Machine& machine = receiving.machine;
  machine.handle(Measuring{{2}}, kStart);
  std::vector<std::uint64_t> writes;
  for (std::uint64_t i = 0; i < 3; ++i) {
    writes.push_back(jobs<Write>(receiving.piece(i, 1, protocol::kPieceBytesMax)).at(0));
  }
  TimePoint now = kStart;
  CHECK(sent<protocol::Taken>(machine.handle(Written{writes[0]}, now)).size() == 1);
  CHECK(sent<protocol::Taken>(machine.handle(Written{writes[1]}, now)).empty());
  CHECK(sent<protocol::Taken>(machine.handle(Written{writes[2]}, now)).empty());
  CHECK(machine.deadline() == now + options.gentle_period);
  now += options.gentle_period - Duration(1);
  CHECK(sent<protocol::Taken>(machine.handle(Tick{}, now)).empty());
  now += Duration(1);
  CHECK(sent<protocol::Taken>(machine.handle(Tick{}, now)).at(0).bytes ==
        2 * protocol::kPieceBytesMax);
  // The trial has ended: what is owed is told at once.
  CHECK(sent<protocol::Taken>(machine.handle(Measuring{}, now)).at(0).bytes ==
        3 * protocol::kPieceBytesMax);
}

TEST_CASE(
    "download: its own session's trial slows nothing down, nor does silence count meanwhile") {
  Receiving receiving(large(3));
  Machine& machine = receiving.machine;
  machine.handle(Measuring{{1}}, kStart);
  const auto first = jobs<Write>(receiving.piece(0, 1, protocol::kPieceBytesMax)).at(0);
  const auto second = jobs<Write>(receiving.piece(1, 1, protocol::kPieceBytesMax)).at(0);
  CHECK(sent<protocol::Taken>(machine.handle(Written{first}, kStart)).size() == 1);
  machine.handle(Measuring{{0}}, kStart);  // of one that has left
  CHECK(sent<protocol::Taken>(machine.handle(Written{second}, kStart)).size() == 1);
  const TimePoint silent = kStart + Options().silence_max;
  CHECK(refusal(machine.handle(Tick{}, silent - Duration(1))) == "none");
  CHECK(refusal(machine.handle(Tick{}, silent)) == "transfer.sender_silent");
}

TEST_CASE("download: copying waits for a pause between the trials of others, and not for ever") {
  const auto manifest = manifest_of(3);
  for (const bool pauses : {true, false}) {
    CAPTURE(pauses);
    Machine machine((Options()));
    machine.handle(Measuring{{2}}, kStart);
    auto actions = machine.handle(arrived(offer_of(*manifest, 1)), kStart);
    actions = machine.handle(LookedUp{jobs<LookUp>(actions).at(0), false, manifest}, kStart);
    CHECK(jobs<Open>(actions).empty());
    const TimePoint later = kStart + seconds(5);
    CHECK(sent<protocol::Waiting>(machine.handle(Tick{}, later)).size() == 1);
    if (pauses) {
      CHECK(jobs<Open>(machine.handle(Measuring{}, later)).size() == 1);
    } else {
      const TimePoint longest = kStart + Options().hold_max;
      CHECK(jobs<Open>(machine.handle(Tick{}, longest - Duration(1))).empty());
      CHECK(jobs<Open>(machine.handle(Tick{}, longest)).size() == 1);
    }
  }
}

TEST_CASE("download: hostile offers are refused") {
  const Manifest manifest = *manifest_of(3);
  const auto refused = [](protocol::Offer offer) {
    Machine machine((Options()));
    std::string id = refusal(machine.handle(arrived(std::move(offer)), kStart));
    CHECK(machine.finished());
    return id;
  };
  auto offer = offer_of(manifest, 1);
  CHECK(refused(offer_of(manifest, 0)) == "transfer.sender_breach");
  offer.identity.value += "x";
  CHECK(refused(offer) == "transfer.sender_breach");
  offer = offer_of(manifest, 1);
  offer.size = 2;
  CHECK(refused(offer) == "transfer.sender_breach");
  offer.size = 3 * kChunkMax + 1;
  CHECK(refused(offer) == "transfer.sender_breach");
  offer.size = UINT64_MAX;
  CHECK(refused(offer) == "file.too_large_to_send");
  offer = offer_of(manifest, 1);
  offer.chunks = UINT64_MAX;
  CHECK(refused(offer) == "file.too_large_to_send");
  offer.chunks = 0;
  CHECK(refused(offer) == "transfer.sender_breach");
}

TEST_CASE("download: a number is offered once, and a session has few offers open") {
  Options options;
  options.offers_max = 3;
  Machine machine(options);
  for (std::uint64_t upload = 1; upload <= 3; ++upload) {
    CHECK(refusal(machine.handle(arrived(offer_of(*manifest_of(upload), upload)), kStart)) ==
          "none");
  }
  CHECK(refusal(machine.handle(arrived(offer_of(*manifest_of(4), 4)), kStart)) ==
        "transfer.sender_breach");
  CHECK(refusal(machine.handle(arrived(offer_of(*manifest_of(4), 3)), kStart)) ==
        "transfer.sender_breach");
}

TEST_CASE("download: hostile lists are refused") {
  const Manifest manifest = *manifest_of(3);
  const auto refused = [&](const protocol::OfferPage& page) {
    Machine machine((Options()));
    auto actions = machine.handle(arrived(offer_of(manifest, 1)), kStart);
    machine.handle(LookedUp{jobs<LookUp>(actions).at(0), false, nullptr}, kStart);
    return refusal(machine.handle(arrived(page), kStart));
  };
  const auto good = page_of(manifest, 1);
  CHECK(refused(good) == "none");
  auto page = good;
  page.first = 1;
  CHECK(refused(page) == "transfer.sender_breach");
  page = good;
  page.digests.value.pop_back();
  CHECK(refused(page) == "transfer.sender_breach");
  page = good;
  page.lengths.push_back(1);
  page.digests.value += std::string(32, 'x');
  CHECK(refused(page) == "transfer.sender_breach");
  page = good;
  page.lengths[1] = 0;
  CHECK(refused(page) == "transfer.bad_chunk_length");
  page.lengths[1] = kChunkMax + 1;
  CHECK(refused(page) == "transfer.bad_chunk_length");
  page.lengths[1] = kChunkMax;
  CHECK(refused(page) == "transfer.sender_breach");
  page.lengths[1] = 999;
  CHECK(refused(page) == "transfer.sender_breach");
  page = good;
  page.digests.value[0] = static_cast<char>(page.digests.value[0] ^ 1);
  CHECK(refused(page) == "transfer.sender_breach");
  CHECK(refused({1, 0, {}, {}}) == "transfer.sender_breach");
  CHECK(refused({2, 0, {}, {}}) == "none");
  Receiving receiving(manifest_of(3));
  CHECK(refusal(receiving.machine.handle(arrived(good), kStart)) == "transfer.sender_breach");
}

TEST_CASE("download: hostile pieces are refused") {
  const auto refused = [](std::uint64_t first, std::uint64_t count, std::uint64_t bytes) {
    Receiving receiving(manifest_of(3));
    const auto actions = receiving.piece(first, count, bytes);
    CHECK(jobs<Write>(actions).empty());
    CHECK(jobs<Close>(actions).size() == 1);
    return refusal(actions);
  };
  CHECK(refused(0, 0, 0) == "transfer.sender_breach");
  CHECK(refused(3, 1, 1000) == "transfer.sender_breach");
  CHECK(refused(1, 3, 3000) == "transfer.sender_breach");
  CHECK(refused(UINT64_MAX, 1, 1000) == "transfer.sender_breach");
  CHECK(refused(1, UINT64_MAX, 1000) == "transfer.sender_breach");
  CHECK(refused(0, 1, 999) == "transfer.sender_breach");
  CHECK(refused(0, 1, 1001) == "transfer.sender_breach");

  Receiving twice(manifest_of(3));
  twice.piece(0, 1, 1000);
  CHECK(refusal(twice.piece(0, 1, 1000)) == "transfer.sender_breach");

  Receiving unknown(manifest_of(3));
  CHECK(refusal(unknown.machine.handle(PieceArrived{1, {9, 0, 1}, 1000}, kStart)) ==
        "transfer.sender_breach");
  CHECK_FALSE(unknown.machine.finished());
}

TEST_CASE("download: more than the window is refused") {
  Options options;
  options.window_bytes = 2000;
  Receiving receiving(manifest_of(4), options);
  const auto job = jobs<Write>(receiving.piece(0, 1, 1000)).at(0);
  CHECK(refusal(receiving.piece(1, 1, 1000)) == "none");
  receiving.machine.handle(Written{job}, kStart);
  CHECK(refusal(receiving.piece(2, 1, 1000)) == "none");
  CHECK(refusal(receiving.piece(3, 1, 1000)) == "transfer.sender_breach");
}

}  // namespace
}  // namespace mstune::agent::download
