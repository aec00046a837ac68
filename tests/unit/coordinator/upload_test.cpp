#include "coordinator/upload.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/chunker.h"

namespace mstune::coordinator::upload {
namespace {

using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};
constexpr std::uint64_t kPiece = protocol::kPieceBytesMax;

std::shared_ptr<const Manifest> manifest_of(std::size_t chunks, std::uint64_t length = kChunkMax) {
  ManifestBuilder builder;
  for (std::size_t i = 0; i < chunks; ++i) {
    builder.add(digest_of(std::to_string(i)), length);
  }
  return std::make_shared<const Manifest>(builder.finish());
}

template <typename T>
std::vector<T> all(const std::vector<Action>& actions) {
  std::vector<T> found;
  for (const Action& action : actions) {
    if (const T* const known = std::get_if<T>(&action)) {
      found.push_back(*known);
    }
  }
  return found;
}

template <typename T>
std::vector<T> sent(const std::vector<Action>& actions) {
  std::vector<T> found;
  for (const Send& send : all<Send>(actions)) {
    if (const T* const known = std::get_if<T>(&send.message)) {
      found.push_back(*known);
    }
  }
  return found;
}

std::string bits(std::size_t count) {
  return std::string((count + 7) / 8, '\xff');
}

protocol::Need need_all(std::uint64_t upload, std::size_t chunks,
                        std::uint64_t window = protocol::kTransferWindowBytes) {
  return {upload, {bits(chunks)}, window};
}

// A machine that is connected and has offered one file as upload 1.
Machine offering(std::size_t chunks, const Options& options = {}) {
  Machine machine(options);
  machine.handle(Submitted{7, manifest_of(chunks)}, kStart);
  machine.handle(Connected{}, kStart);
  return machine;
}

TEST_CASE("upload: a file is offered as soon as there is a connection, and not before") {
  Machine machine((Options()));
  CHECK(machine.finished());
  CHECK(machine.handle(Submitted{7, manifest_of(3)}, kStart).empty());
  CHECK_FALSE(machine.finished());
  CHECK(machine.deadline() == kNever);
  const auto offers = sent<protocol::Offer>(machine.handle(Connected{}, kStart));
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].identity.value == raw(manifest_of(3)->identity));
  CHECK(offers[0].size == 3 * kChunkMax);
  CHECK(offers[0].chunks == 3);
}

TEST_CASE("upload: what the agent has is not sent") {
  Machine machine = offering(3);
  const auto actions = machine.handle(protocol::Stored{1}, kStart);
  REQUIRE(all<Uploaded>(actions).size() == 1);
  CHECK(all<Uploaded>(actions)[0].file == 7);
  CHECK(machine.finished());
  CHECK(machine.bytes_sent() == 0);
}

TEST_CASE("upload: the list goes out page by page, each below half a MiB") {
  Machine machine = offering(protocol::kOfferPageChunks + 5, {});
  auto pages = sent<protocol::OfferPage>(machine.handle(protocol::ListRequest{1, 0}, kStart));
  REQUIRE(pages.size() == 1);
  CHECK(pages[0].lengths.size() == protocol::kOfferPageChunks);
  CHECK(pages[0].digests.value.size() + 5 * pages[0].lengths.size() < 512 * 1024);
  pages = sent<protocol::OfferPage>(
      machine.handle(protocol::ListRequest{1, protocol::kOfferPageChunks}, kStart));
  REQUIRE(pages.size() == 1);
  CHECK(pages[0].first == protocol::kOfferPageChunks);
  CHECK(pages[0].lengths.size() == 5);
  const auto actions =
      machine.handle(protocol::ListRequest{1, protocol::kOfferPageChunks + 5}, kStart);
  CHECK(all<Failed>(actions).at(0).why.id == "transfer.agent_breach");
}

TEST_CASE("upload: no more is under way than the window, and what was taken makes room") {
  Options options;
  options.window_bytes = 4 * kPiece;
  Machine machine = offering(10, options);
  auto pieces = all<SendPiece>(machine.handle(need_all(1, 10), kStart));
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[3].offset == 3 * kPiece);
  CHECK(pieces[3].piece.first == 3);
  CHECK(all<SendPiece>(machine.handle(protocol::Taken{1, 0}, kStart)).empty());
  CHECK(all<SendPiece>(machine.handle(protocol::Taken{1, 2 * kPiece}, kStart)).size() == 2);
  CHECK(all<SendPiece>(machine.handle(protocol::Taken{1, 6 * kPiece}, kStart)).size() == 4);
  CHECK(machine.progress().at(0).present == 6 * kPiece);
  CHECK(machine.progress().at(0).sent == 10 * kPiece);
}

TEST_CASE("upload: the agent may grant a smaller window, but not one that nothing fits into") {
  Machine machine = offering(10);
  CHECK(all<SendPiece>(machine.handle(need_all(1, 10, kPiece), kStart)).size() == 1);
  Machine other = offering(10);
  CHECK(all<Failed>(other.handle(need_all(1, 10, kPiece - 1), kStart)).size() == 1);
}

TEST_CASE("upload: lacking neighbours travel together, others do not travel") {
  Machine machine((Options()));
  machine.handle(Submitted{7, manifest_of(16, kPiece / 4)}, kStart);
  machine.handle(Connected{}, kStart);
  // Chunks 1 to 3 and 8 to 15.
  const auto pieces =
      all<SendPiece>(machine.handle(protocol::Need{1, {"\x0e\xff"}, 16 * kPiece}, kStart));
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].piece.first == 1);
  CHECK(pieces[0].piece.count == 3);
  CHECK(pieces[0].length == 3 * kPiece / 4);
  CHECK(pieces[1].piece.first == 8);
  CHECK(pieces[1].piece.count == 4);
  CHECK(pieces[2].piece.first == 12);
}

TEST_CASE("upload: after a lost connection the file is offered anew, under another number") {
  Machine machine = offering(3);
  machine.handle(need_all(1, 3), kStart);
  machine.handle(Disconnected{}, kStart);
  CHECK(machine.deadline() == kNever);
  CHECK(sent<protocol::Offer>(machine.handle(Connected{}, kStart)).at(0).upload == 2);
  // What still comes for the old one is passed over.
  CHECK(machine.handle(protocol::Stored{1}, kStart).empty());
  CHECK(machine.handle(protocol::Refused{1, {}}, kStart).empty());
  CHECK(machine.handle(protocol::Taken{1, 999}, kStart).empty());
  CHECK(machine.handle(ReadFailed{1, {}}, kStart).empty());
  CHECK(all<SendPiece>(machine.handle(protocol::Need{2, {"\x04"}, 16 * kPiece}, kStart)).size() ==
        1);
}

TEST_CASE("upload: the next file's offer waits at the agent, a third one's not yet") {
  Machine machine = offering(3);
  CHECK(sent<protocol::Offer>(machine.handle(Submitted{8, manifest_of(4)}, kStart)).size() == 1);
  CHECK(machine.handle(Submitted{9, manifest_of(5)}, kStart).empty());
  CHECK(sent<protocol::Offer>(machine.handle(protocol::Stored{1}, kStart)).size() == 1);
}

TEST_CASE("upload: a cancelled file is withdrawn and forgotten") {
  Machine machine = offering(3);
  CHECK(sent<protocol::Withdraw>(machine.handle(Cancelled{7}, kStart)).size() == 1);
  CHECK(machine.finished());
  CHECK(machine.handle(Cancelled{7}, kStart).empty());
}

TEST_CASE("upload: an agent that says nothing is given up at the deadline, not before") {
  Options options;
  options.silence_max = seconds(30);
  Machine machine = offering(3, options);
  CHECK(machine.deadline() == kStart + seconds(30));
  machine.handle(protocol::Waiting{1}, kStart + seconds(20));
  CHECK(machine.deadline() == kStart + seconds(50));
  CHECK(machine.handle(Tick{}, kStart + seconds(50) - Duration(1)).empty());
  const auto actions = machine.handle(Tick{}, kStart + seconds(50));
  CHECK(all<Failed>(actions).at(0).why.id == "transfer.agent_silent");
  CHECK(sent<protocol::Withdraw>(actions).size() == 1);
  CHECK(machine.finished());
}

TEST_CASE("upload: its own timeout counts from its turn, signs of life or not") {
  Options options;
  options.upload_timeout = seconds(100);
  options.silence_max = seconds(1000);
  Machine machine = offering(3, options);
  machine.handle(Submitted{8, manifest_of(4)}, kStart);
  machine.handle(protocol::Stored{1}, kStart + seconds(90));
  CHECK(machine.handle(protocol::Waiting{2}, kStart + seconds(189)).empty());
  CHECK(machine.deadline() == kStart + seconds(190));
  machine.handle(Disconnected{}, kStart + seconds(189));
  const auto actions = machine.handle(Tick{}, kStart + seconds(190));
  CHECK(all<Failed>(actions).at(0).file == 8);
  CHECK(all<Failed>(actions).at(0).why.id == "transfer.timed_out");
}

TEST_CASE("upload: a refusal and a file that cannot be read fail that file only") {
  Machine machine = offering(3);
  machine.handle(Submitted{8, manifest_of(4)}, kStart);
  auto actions = machine.handle(protocol::Refused{1, message("store.full", "full")}, kStart);
  CHECK(all<Failed>(actions).at(0).why.text == "full");
  actions = machine.handle(ReadFailed{2, message("file.changed", "changed")}, kStart);
  CHECK(all<Failed>(actions).at(0).file == 8);
  CHECK(sent<protocol::Withdraw>(actions).at(0).upload == 2);
}

TEST_CASE("upload: an agent that breaks the protocol fails the file and harms nothing") {
  const std::vector<Event> breaches{
      protocol::Need{1, {""}, 16 * kPiece}, protocol::Need{1, {"12"}, 16 * kPiece},
      protocol::Need{1, {"\x07"}, 0},       protocol::ListRequest{1, 3},
      protocol::ListRequest{1, UINT64_MAX}, protocol::Taken{1, 1},
      protocol::Taken{1, UINT64_MAX},
  };
  for (const Event& breach : breaches) {
    Machine machine = offering(3);
    CHECK(all<Failed>(machine.handle(breach, kStart)).at(0).why.id == "transfer.agent_breach");
  }
  Machine machine = offering(3);
  machine.handle(need_all(1, 3), kStart);
  CHECK(all<Failed>(machine.handle(need_all(1, 3), kStart)).size() == 1);
}

}  // namespace
}  // namespace mstune::coordinator::upload
