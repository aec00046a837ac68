#include "agent/download.h"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/incoming_upload.h"
#include "common/error.h"

namespace mstune::agent::download {
namespace {

struct Job {
  SessionId session = 0;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  // of payload
};

std::string write_bits(const std::vector<bool>& bits) {
  std::string result((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) {
      result[i / 8] = static_cast<char>(static_cast<unsigned char>(result[i / 8]) | 1U << (i % 8));
    }
  }
  return result;
}

}  // namespace

class Machine::State {
 public:
  explicit State(const Options& options) : options_(options) {}

  void on(const Arrived& event, TimePoint now);
  void on(const PieceArrived& event, TimePoint now);
  void on(const SessionEnded& event, TimePoint now);
  void on(const Tick& event, TimePoint now);
  void on(const Measuring& event, TimePoint now);
  void on(const LookedUp& event, TimePoint now);
  void on(const Opened& event, TimePoint now);
  void on(const Written& event, TimePoint now);
  void on(const Completed& event, TimePoint now);
  void on(const JobFailed& event, TimePoint now);

  void expire(TimePoint now);
  void start_queued(TimePoint now);
  void open_held(TimePoint now);
  void tell_taken(TimePoint now);
  [[nodiscard]] TimePoint deadline() const;
  [[nodiscard]] bool finished() const { return uploads_.empty(); }

  std::vector<Action> actions;

 private:
  void on_message(SessionId session, const protocol::Offer& offer, TimePoint now);
  void on_message(SessionId session, const protocol::OfferPage& page, TimePoint now);
  void on_message(SessionId session, const protocol::Withdraw& withdraw, TimePoint now);

  Upload* find(SessionId session, std::uint64_t number);
  Upload* take_job(std::uint64_t job, TimePoint now);
  [[nodiscard]] bool disturbs(const Upload& upload) const;
  [[nodiscard]] bool may_start(const Upload& upload) const;
  void send(const Upload& upload, Outgoing message);
  template <typename What>
  void submit(const Upload& upload, What what, std::uint64_t bytes = 0);
  void refuse(SessionId session, std::uint64_t number, const Message& why);
  void refuse(Upload& upload, const Message& why);
  void drop(const Upload& upload);
  void close(const Upload& upload);
  void ask_for_list_or_hold(Upload& upload, TimePoint now);
  void complete_if_whole(Upload& upload);

  Options options_;
  std::list<Upload> uploads_;  // in the order in which they were offered
  std::map<SessionId, std::uint64_t> last_number_;
  std::map<std::uint64_t, Job> jobs_;
  std::uint64_t last_job_ = 0;
  TimePoint waiting_due_ = kNever;
  std::vector<SessionId> measuring_;
  TimePoint gentle_due_ = {};  // the next credit for one who disturbs
};

Upload* Machine::State::find(SessionId session, std::uint64_t number) {
  const auto found = std::find_if(uploads_.begin(), uploads_.end(), [&](const Upload& upload) {
    return upload.session == session && upload.number == number;
  });
  return found == uploads_.end() ? nullptr : &*found;
}

void Machine::State::send(const Upload& upload, Outgoing message) {
  actions.emplace_back(Send{upload.session, std::move(message)});
}

template <typename What>
void Machine::State::submit(const Upload& upload, What what, std::uint64_t bytes) {
  jobs_.emplace(++last_job_, Job{upload.session, upload.number, bytes});
  actions.emplace_back(StoreJob{last_job_, std::move(what)});
}

void Machine::State::refuse(SessionId session, std::uint64_t number, const Message& why) {
  actions.emplace_back(Send{session, protocol::Refused{number, why}});
}

void Machine::State::refuse(Upload& upload, const Message& why) {
  refuse(upload.session, upload.number, why);
  drop(upload);
}

void Machine::State::drop(const Upload& upload) {
  close(upload);
  uploads_.remove_if([&](const Upload& other) { return &other == &upload; });
}

// Jobs are done in their order, so this comes after whatever is still being done for the upload.
void Machine::State::close(const Upload& upload) {
  if (upload.phase >= Phase::opening) {
    actions.emplace_back(StoreJob{++last_job_, Close{upload.identity}});
  }
}

void Machine::State::on(const Arrived& event, TimePoint now) {
  std::visit([&](const auto& known) { on_message(event.session, known, now); }, event.message);
}

void Machine::State::on_message(SessionId session, const protocol::Offer& offer, TimePoint now) {
  std::uint64_t& last_number = last_number_[session];
  const auto open_offers =
      std::count_if(uploads_.begin(), uploads_.end(),
                    [&](const Upload& upload) { return upload.session == session; });
  if (offer.upload <= last_number) {
    refuse(session, offer.upload, breach("a number of an upload that was used before").message());
    return;
  }
  last_number = offer.upload;
  try {
    if (static_cast<std::size_t>(open_offers) >= options_.offers_max) {
      throw breach("too many offers at a time");
    }
    if (uploads_.empty()) {
      waiting_due_ = after(now, options_.waiting_every);
    }
    uploads_.push_back(read_offer(session, offer));
  } catch (const Error& error) {
    refuse(session, offer.upload, error.message());
  }
}

void Machine::State::on_message(SessionId session, const protocol::OfferPage& page, TimePoint now) {
  Upload* const upload = find(session, page.upload);
  if (upload == nullptr) {
    return;
  }
  try {
    if (upload->phase != Phase::listing) {
      throw breach("a page of chunks that was not asked for");
    }
    upload->heard = now;
    add_page(*upload, page);
    ask_for_list_or_hold(*upload, now);
  } catch (const Error& error) {
    refuse(*upload, error.message());
  }
}

void Machine::State::on_message(SessionId session, const protocol::Withdraw& withdraw, TimePoint) {
  if (const Upload* const upload = find(session, withdraw.upload)) {
    drop(*upload);
  }
}

void Machine::State::on(const PieceArrived& event, TimePoint now) {
  Upload* const upload = find(event.session, event.piece.upload);
  if (upload == nullptr) {
    const auto last_number = last_number_.find(event.session);
    if (last_number == last_number_.end() || event.piece.upload > last_number->second) {
      refuse(event.session, event.piece.upload, breach("a piece of an unknown upload").message());
    }
    return;
  }
  try {
    check_piece(*upload, event.piece, event.payload_bytes, options_.window_bytes);
  } catch (const Error& error) {
    refuse(*upload, error.message());
    return;
  }
  upload->heard = now;
  upload->arrived += event.payload_bytes;
  upload->lacking -= event.piece.count;
  for (std::uint64_t i = 0; i < event.piece.count; ++i) {
    upload->lacks[event.piece.first + i] = false;
  }
  submit(*upload, Write{upload->identity, event.piece.first, event.piece.count},
         event.payload_bytes);
}

void Machine::State::on(const SessionEnded& event, TimePoint) {
  for (const Upload& upload : uploads_) {
    if (upload.session == event.session) {
      close(upload);
    }
  }
  uploads_.remove_if([&](const Upload& upload) { return upload.session == event.session; });
  last_number_.erase(event.session);
}

void Machine::State::on(const Tick&, TimePoint) {}

void Machine::State::on(const Measuring& event, TimePoint) {
  measuring_ = event.sessions;
}

// The upload that the job was done for; null when it is over.
Upload* Machine::State::take_job(std::uint64_t job, TimePoint now) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) {
    return nullptr;
  }
  Upload* const upload = find(found->second.session, found->second.number);
  if (upload != nullptr) {
    upload->heard = now;
    upload->taken += found->second.bytes;
  }
  jobs_.erase(found);
  return upload;
}

void Machine::State::on(const LookedUp& event, TimePoint now) {
  Upload* const upload = take_job(event.job, now);
  if (upload == nullptr) {
    return;
  }
  if (event.whole) {
    send(*upload, protocol::Stored{upload->number});
    drop(*upload);
    return;
  }
  upload->phase = Phase::listing;
  upload->manifest = event.partial;
  try {
    ask_for_list_or_hold(*upload, now);
  } catch (const Error& error) {
    refuse(*upload, error.message());
  }
}

void Machine::State::ask_for_list_or_hold(Upload& upload, TimePoint now) {
  if (upload.manifest == nullptr && upload.list.chunks() < upload.chunks) {
    send(upload, protocol::ListRequest{upload.number, upload.list.chunks()});
    return;
  }
  if (upload.manifest == nullptr) {
    upload.manifest = std::make_shared<const Manifest>(upload.list.finish());
  }
  if (upload.manifest->identity != upload.identity || upload.manifest->size != upload.size ||
      upload.manifest->chunks.size() != upload.chunks) {
    throw breach("a list of chunks that is not the offered file's");
  }
  upload.phase = Phase::held;
  upload.held_until = after(now, options_.hold_max);
}

void Machine::State::on(const Opened& event, TimePoint now) {
  Upload* const upload = take_job(event.job, now);
  if (upload == nullptr) {
    return;
  }
  upload->phase = Phase::receiving;
  upload->lacks = event.lacks;
  upload->lacking =
      static_cast<std::size_t>(std::count(event.lacks.begin(), event.lacks.end(), true));
  send(*upload, protocol::Need{upload->number, {write_bits(event.lacks)}, options_.window_bytes});
  complete_if_whole(*upload);
}

void Machine::State::on(const Written& event, TimePoint now) {
  Upload* const upload = take_job(event.job, now);
  if (upload != nullptr) {
    complete_if_whole(*upload);
  }
}

void Machine::State::complete_if_whole(Upload& upload) {
  if (upload.lacking == 0 && upload.arrived == upload.taken) {
    upload.phase = Phase::completing;
    submit(upload, Complete{upload.identity});
  }
}

void Machine::State::on(const Completed& event, TimePoint now) {
  if (Upload* const upload = take_job(event.job, now)) {
    send(*upload, protocol::Stored{upload->number});
    drop(*upload);
  }
}

void Machine::State::on(const JobFailed& event, TimePoint now) {
  if (Upload* const upload = take_job(event.job, now)) {
    refuse(*upload, event.why);
  }
}

bool Machine::State::may_start(const Upload& upload) const {
  for (const Upload& other : uploads_) {
    if (&other == &upload) {
      continue;
    }
    if (other.identity == upload.identity && other.phase != Phase::queued) {
      return false;
    }
    // The first of its session only; those behind it are reached after it in this list.
    if (other.session == upload.session && other.phase != Phase::queued) {
      return false;
    }
  }
  return true;
}

void Machine::State::start_queued(TimePoint now) {
  std::vector<SessionId> passed;
  for (Upload& upload : uploads_) {
    if (upload.phase != Phase::queued ||
        std::find(passed.begin(), passed.end(), upload.session) != passed.end()) {
      continue;
    }
    if (may_start(upload)) {
      upload.phase = Phase::looking;
      upload.heard = now;
      submit(upload, LookUp{upload.identity});
    }
    passed.push_back(upload.session);
  }
}

// Its own session knows what it does; another one's program is not to be disturbed.
bool Machine::State::disturbs(const Upload& upload) const {
  return std::any_of(measuring_.begin(), measuring_.end(),
                     [&](SessionId session) { return session != upload.session; });
}

void Machine::State::open_held(TimePoint now) {
  for (Upload& upload : uploads_) {
    if (upload.phase == Phase::held && (!disturbs(upload) || now >= upload.held_until)) {
      upload.phase = Phase::opening;
      submit(upload, Open{upload.manifest});
    }
  }
}

void Machine::State::tell_taken(TimePoint now) {
  for (Upload& upload : uploads_) {
    const bool gently = disturbs(upload);
    if (upload.told == upload.taken || (gently && now < gentle_due_)) {
      continue;
    }
    upload.told =
        gently ? std::min(upload.taken, upload.told + protocol::kPieceBytesMax) : upload.taken;
    upload.heard = now;
    send(upload, protocol::Taken{upload.number, upload.told});
    if (gently) {
      gentle_due_ = after(now, options_.gentle_period);
    }
  }
}

void Machine::State::expire(TimePoint now) {
  for (auto at = uploads_.begin(); at != uploads_.end();) {
    Upload& upload = *at++;
    if (upload.waits_for_sender() && now >= after(upload.heard, options_.silence_max)) {
      refuse(upload,
             message("transfer.sender_silent", "the coordinator sent nothing of the upload for {}",
                     duration_text(std::chrono::duration<double>(options_.silence_max).count())));
    }
  }
  if (now >= waiting_due_) {
    for (const Upload& upload : uploads_) {
      send(upload, protocol::Waiting{upload.number});
    }
    waiting_due_ = after(now, options_.waiting_every);
  }
  if (uploads_.empty()) {
    waiting_due_ = kNever;
  }
}

TimePoint Machine::State::deadline() const {
  TimePoint first = waiting_due_;
  for (const Upload& upload : uploads_) {
    if (upload.waits_for_sender()) {
      first = std::min(first, after(upload.heard, options_.silence_max));
    } else if (upload.phase == Phase::held) {
      first = std::min(first, upload.held_until);
    } else if (upload.told < upload.taken) {
      first = std::min(first, gentle_due_);
    }
  }
  return first;
}

Machine::Machine(const Options& options) : state_(std::make_unique<State>(options)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

std::vector<Action> Machine::handle(const Event& event, TimePoint now) {
  state_->actions.clear();
  std::visit([&](const auto& known) { state_->on(known, now); }, event);
  state_->open_held(now);
  state_->tell_taken(now);
  state_->expire(now);
  state_->start_queued(now);
  return std::exchange(state_->actions, {});
}

TimePoint Machine::deadline() const {
  return state_->deadline();
}

bool Machine::finished() const {
  return state_->finished();
}

}  // namespace mstune::agent::download
