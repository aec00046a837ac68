#include "coordinator/upload.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "common/error.h"

namespace mstune::coordinator::upload {
namespace {

// What is known since a file was offered; a new connection begins with a new one.
struct OpenOffer {
  std::uint64_t upload = 0;  // its number; 0: not offered
  TimePoint heard;           // the agent's last sign of life
  bool needed = false;       // the agent has said which chunks it lacks
  std::vector<bool> wanted;  // chunks still to be sent
  std::size_t next = 0;      // no chunk before this one is wanted
  std::uint64_t lacking = 0;
  std::uint64_t window = 0;
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
};

struct File {
  FileId id = 0;
  std::shared_ptr<const Manifest> manifest;
  std::optional<TimePoint> started;  // its turn came
  std::uint64_t bytes_sent = 0;      // since it was submitted
  OpenOffer offer;
};

Message protocol_breach(std::string_view what) {
  return message("transfer.agent_breach",
                 "the agent broke the transfer protocol ({}): are both programs of one release?",
                 what);
}

protocol::OfferPage page_of(const Manifest& manifest, std::uint64_t upload, std::uint64_t first) {
  protocol::OfferPage page{upload, first, {}, {}};
  const std::uint64_t count = std::min(protocol::kOfferPageChunks, manifest.chunks.size() - first);
  page.digests.value.reserve(count * kDigestSize);
  page.lengths.reserve(count);
  for (std::uint64_t i = first; i < first + count; ++i) {
    page.digests.value += raw(manifest.chunks[i].digest);
    page.lengths.push_back(manifest.chunks[i].length);
  }
  return page;
}

std::vector<bool> read_bits(std::string_view bits, std::size_t count) {
  std::vector<bool> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned byte = static_cast<unsigned char>(bits[i / 8]);
    result[i] = ((byte >> (i % 8)) & 1U) != 0;
  }
  return result;
}

void forget_offer(File& file) {
  file.offer = {};
}

}  // namespace

class Machine::State {
 public:
  explicit State(const Options& chosen) : options(chosen) {}

  void on(const Submitted& event, TimePoint now);
  void on(const Cancelled& event, TimePoint now);
  void on(const Connected& event, TimePoint now);
  void on(const Disconnected& event, TimePoint now);
  void on(const ReadFailed& event, TimePoint now);
  void on(const Tick& event, TimePoint now);
  void on(const protocol::ListRequest& request, TimePoint now);
  void on(const protocol::Need& need, TimePoint now);
  void on(const protocol::Taken& taken, TimePoint now);
  void on(const protocol::Stored& stored, TimePoint now);
  void on(const protocol::Waiting& waiting, TimePoint now);
  void on(const protocol::Refused& refused, TimePoint now);

  void expire(TimePoint now);
  void offer(TimePoint now);
  void pump(File& file);
  [[nodiscard]] TimePoint silence_end(const File& file) const;
  [[nodiscard]] TimePoint upload_end(const File& file) const;

  Options options;
  std::deque<File> files;
  std::vector<Action> actions;
  std::uint64_t bytes_sent = 0;

 private:
  File* find(std::uint64_t upload);
  File* hear(std::uint64_t upload, TimePoint now);
  void drop(const File& file);
  void fail(const File& file, Message why);
  void withdraw(const File& file);

  bool connected_ = false;
  std::uint64_t last_upload_ = 0;
};

// A number that is not known belongs to an offer that is over.
File* Machine::State::find(std::uint64_t upload) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const File& file) {
    return upload != 0 && file.offer.upload == upload;
  });
  return found == files.end() ? nullptr : &*found;
}

File* Machine::State::hear(std::uint64_t upload, TimePoint now) {
  File* const file = find(upload);
  if (file != nullptr) {
    file->offer.heard = now;
  }
  return file;
}

void Machine::State::drop(const File& file) {
  files.erase(
      std::find_if(files.begin(), files.end(), [&](const File& other) { return &other == &file; }));
}

void Machine::State::withdraw(const File& file) {
  if (file.offer.upload != 0) {
    actions.emplace_back(Send{protocol::Withdraw{file.offer.upload}});
  }
}

void Machine::State::fail(const File& file, Message why) {
  withdraw(file);
  actions.emplace_back(Failed{file.id, std::move(why)});
  drop(file);
}

void Machine::State::on(const Submitted& event, TimePoint) {
  File file;
  file.id = event.file;
  file.manifest = event.manifest;
  files.push_back(std::move(file));
}

void Machine::State::on(const Cancelled& event, TimePoint) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const File& file) { return file.id == event.file; });
  if (found != files.end()) {
    withdraw(*found);
    files.erase(found);
  }
}

void Machine::State::on(const Connected&, TimePoint) {
  std::for_each(files.begin(), files.end(), forget_offer);
  connected_ = true;
}

void Machine::State::on(const Disconnected&, TimePoint) {
  std::for_each(files.begin(), files.end(), forget_offer);
  connected_ = false;
}

void Machine::State::on(const ReadFailed& event, TimePoint) {
  if (const File* const file = find(event.upload)) {
    fail(*file, event.why);
  }
}

void Machine::State::on(const Tick&, TimePoint) {}

void Machine::State::on(const protocol::ListRequest& request, TimePoint now) {
  const File* const file = hear(request.upload, now);
  if (file == nullptr) {
    return;
  }
  if (request.first >= file->manifest->chunks.size()) {
    fail(*file, protocol_breach("it asked for chunks that are not there"));
    return;
  }
  actions.emplace_back(Send{page_of(*file->manifest, request.upload, request.first)});
}

void Machine::State::on(const protocol::Need& need, TimePoint now) {
  File* const file = hear(need.upload, now);
  if (file == nullptr) {
    return;
  }
  const std::size_t count = file->manifest->chunks.size();
  if (file->offer.needed || need.lacks.value.size() != (count + 7) / 8 ||
      need.window_bytes < protocol::kPieceBytesMax) {
    fail(*file, protocol_breach("its list of lacking chunks"));
    return;
  }
  file->offer.needed = true;
  file->offer.wanted = read_bits(need.lacks.value, count);
  file->offer.window = std::min(options.window_bytes, need.window_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    file->offer.lacking += file->offer.wanted[i] ? file->manifest->chunks[i].length : 0;
  }
  pump(*file);
}

void Machine::State::on(const protocol::Taken& taken, TimePoint now) {
  File* const file = hear(taken.upload, now);
  if (file == nullptr) {
    return;
  }
  if (taken.bytes < file->offer.taken || taken.bytes > file->offer.sent) {
    fail(*file, protocol_breach("it took what was not sent"));
    return;
  }
  file->offer.taken = taken.bytes;
  pump(*file);
}

void Machine::State::on(const protocol::Stored& stored, TimePoint) {
  if (const File* const file = find(stored.upload)) {
    actions.emplace_back(Uploaded{file->id});
    drop(*file);
  }
}

void Machine::State::on(const protocol::Waiting& waiting, TimePoint now) {
  hear(waiting.upload, now);
}

void Machine::State::on(const protocol::Refused& refused, TimePoint) {
  if (const File* const file = find(refused.upload)) {
    actions.emplace_back(Failed{file->id, refused.why});
    drop(*file);
  }
}

TimePoint Machine::State::silence_end(const File& file) const {
  return file.offer.upload == 0 ? kNever : after(file.offer.heard, options.silence_max);
}

TimePoint Machine::State::upload_end(const File& file) const {
  return file.started ? after(*file.started, options.upload_timeout) : kNever;
}

void Machine::State::expire(TimePoint now) {
  const auto seconds = [](Duration duration) {
    return duration_text(std::chrono::duration<double>(duration).count());
  };
  for (std::size_t i = files.size(); i-- > 0;) {
    if (now >= upload_end(files[i])) {
      fail(files[i], message("transfer.timed_out",
                             "the upload took more than {}: raise --upload-timeout, or look for "
                             "what slows the network or the agent's disk",
                             seconds(options.upload_timeout)));
    } else if (now >= silence_end(files[i])) {
      fail(files[i], message("transfer.agent_silent",
                             "the agent said nothing about the upload for {}: look at its log and "
                             "at its disk",
                             seconds(options.silence_max)));
    }
  }
}

// Only the first file sends, since its chunks help those behind it; the offers of these are ahead.
void Machine::State::offer(TimePoint now) {
  if (!connected_) {
    return;
  }
  for (std::size_t i = 0; i < files.size() && i < options.offers_ahead; ++i) {
    File& file = files[i];
    if (i == 0 && !file.started) {
      file.started = now;
    }
    if (file.offer.upload == 0) {
      file.offer.upload = ++last_upload_;
      file.offer.heard = now;
      actions.emplace_back(Send{protocol::Offer{file.offer.upload,
                                                {raw(file.manifest->identity)},
                                                file.manifest->size,
                                                file.manifest->chunks.size()}});
    }
  }
}

void Machine::State::pump(File& file) {
  const Manifest& manifest = *file.manifest;
  for (;;) {
    while (file.offer.next < file.offer.wanted.size() && !file.offer.wanted[file.offer.next]) {
      ++file.offer.next;
    }
    if (file.offer.next == file.offer.wanted.size()) {
      return;
    }
    const std::size_t count =
        chunks_in_piece(manifest, file.offer.next, file.offer.wanted, protocol::kPieceBytesMax);
    const std::uint64_t length = length_of(manifest, file.offer.next, count);
    if (file.offer.sent - file.offer.taken + length > file.offer.window) {
      return;
    }
    actions.emplace_back(SendPiece{file.id, manifest.chunks[file.offer.next].offset, length,
                                   protocol::Piece{file.offer.upload, file.offer.next, count}});
    file.offer.next += count;
    file.offer.sent += length;
    file.bytes_sent += length;
    bytes_sent += length;
  }
}

Machine::Machine(const Options& options) : state_(std::make_unique<State>(options)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

std::vector<Action> Machine::handle(const Event& event, TimePoint now) {
  state_->actions.clear();
  std::visit([&](const auto& known) { state_->on(known, now); }, event);
  state_->expire(now);
  state_->offer(now);
  return std::exchange(state_->actions, {});
}

TimePoint Machine::deadline() const {
  TimePoint first = kNever;
  for (const File& file : state_->files) {
    first = std::min({first, state_->silence_end(file), state_->upload_end(file)});
  }
  return first;
}

bool Machine::finished() const {
  return state_->files.empty();
}

std::uint64_t Machine::bytes_sent() const {
  return state_->bytes_sent;
}

std::vector<Progress> Machine::progress() const {
  std::vector<Progress> result;
  for (const File& file : state_->files) {
    const std::uint64_t present =
        file.offer.needed ? file.manifest->size - file.offer.lacking + file.offer.taken : 0;
    result.push_back({file.id, file.manifest->size, present, file.bytes_sent});
  }
  return result;
}

}  // namespace mstune::coordinator::upload
