#include "coordinator/connection.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "protocol/earlier_version.h"

namespace mstune::coordinator {
namespace {

constexpr int kMessagesPerTurn = 256;  // then whoever else waits has a turn

// The upload machine's event in a report; nothing where it is about something else.
std::optional<upload::Event> upload_event(const protocol::Report& report) {
  return std::visit(
      []<typename T>(const T& value) -> std::optional<upload::Event> {
        if constexpr (std::is_constructible_v<upload::Event, T>) {
          return upload::Event(value);
        } else {
          return std::nullopt;
        }
      },
      report);
}

}  // namespace

Connection::Connection(const std::string& endpoint,
                       const std::optional<os::ConnectSecurity>& security,
                       const std::string& campaign, const upload::Options& upload_options,
                       os::Worker& worker, TimePoint now)
    : socket_(os::Socket::connect(endpoint, security)),
      lookup_(os::look_up_endpoint(endpoint)),
      has_keys_(security.has_value()),
      reach_(endpoint, security ? security->own.name : std::string(),
             lookup_ && !lookup_->addresses.empty(), now),
      link_(campaign, now),
      uploads_(upload_options),
      worker_(worker),
      read_pieces_(std::make_shared<std::vector<ReadPiece>>()) {}

void Connection::send(const protocol::Request& request, std::string payload) {
  fetches_ += std::holds_alternative<protocol::Fetch>(request) ? 1U : 0U;
  // What is not taken is repeated: greetings, pings, assignments, and fetches after a reconnect.
  static_cast<void>(socket_.send({{}, protocol::pack(request), std::move(payload)}));
}

void Connection::let_upload(bool may, TimePoint now) {
  may_upload_ = may;
  if (may && std::exchange(uploads_wait_, false)) {
    carry_out(uploads_.handle(upload::Connected{}, now));
  }
}

void Connection::stop_upload(FileId file, TimePoint now) {
  sources_.erase(file);
  carry_out(uploads_.handle(upload::Cancelled{file}, now));
}

void Connection::upload(FileId file, std::shared_ptr<UploadSource> source, TimePoint now) {
  const auto manifest = source->manifest;
  sources_[file] = std::move(source);
  carry_out(uploads_.handle(upload::Submitted{file, manifest}, now));
}

TimePoint Connection::deadline() const {
  TimePoint earliest =
      std::min({link_.deadline(), uploads_.deadline(), reach_.deadline(silence())});
  for (const os::PeerProbe& probe : probes_) {
    earliest = std::min(earliest, probe.deadline());
  }
  return earliest;
}

void Connection::watch(os::PollSet& polled) const {
  polled.add(socket_);
  for (const os::PeerProbe& probe : probes_) {
    for (const int descriptor : probe.descriptors()) {
      polled.add(descriptor);
    }
  }
}

bool Connection::is_readable(const os::PollSet& polled) const {
  return polled.readable(socket_) ||
         std::any_of(probes_.begin(), probes_.end(), [&](const os::PeerProbe& probe) {
           const std::vector<int> all = probe.descriptors();
           return std::any_of(all.begin(), all.end(),
                              [&](int descriptor) { return polled.readable(descriptor); });
         });
}

Silence Connection::silence() const {
  return {link_.asked_since(), !sources_.empty() || fetches_ > 0};
}

void Connection::look_at_connecting(TimePoint now) {
  if (!std::exchange(looked_up_, true) && lookup_ && lookup_->addresses.empty() &&
      !reach_.is_trusted()) {
    if (lookup_->may_come) {
      events_.emplace_back(LinkUnreachable{lookup_->failure});
    } else {
      events_.emplace_back(LinkRefused{message(
          "connection.unknown_host",
          "{}: is \"host\" in the target file spelt right? (ping or ssh would need the same name)",
          lookup_->failure)});
    }
  }
  while (const auto event = socket_.next_connect_event()) {
    if (*event == ConnectEvent::connected) {
      carry_out(link_.connected(now), now);
    }
    carry_out(reach_.handle(*event, now), now);
  }
}

void Connection::look_at_probes(TimePoint now) {
  for (std::size_t at = 0; at < probes_.size();) {
    if (const auto result = probes_[at].step(now)) {
      probes_.erase(probes_.begin() + static_cast<std::ptrdiff_t>(at));
      carry_out(reach_.handle(*result, silence(), now), now);
    } else {
      ++at;
    }
  }
}

std::vector<ConnectionEvent> Connection::step(TimePoint now) {
  look_at_connecting(now);
  for (int i = 0; i < kMessagesPerTurn; ++i) {
    auto frames = socket_.receive();
    if (!frames) {
      break;
    }
    // A report that this version does not know, or that is damaged, is passed over: whatever
    // mattered in it is repeated or asked for again.
    try {
      auto report = protocol::unpack_report(frames->header);
      if (report) {
        protocol::take_up_version_1(*report);
        take(std::move(*report), std::move(frames->payload), now);
      }
    } catch (const Error&) {
      continue;
    }
  }
  if (now >= link_.deadline()) {
    carry_out(link_.tick(now), now);
  }
  look_at_probes(now);
  if (now >= reach_.deadline(silence())) {
    carry_out(reach_.tick(silence(), now), now);
  }
  send_read_pieces(now);
  if (now >= uploads_.deadline()) {
    carry_out(uploads_.handle(upload::Tick{}, now));
  }
  return std::exchange(events_, {});
}

void Connection::take(protocol::Report report, std::string payload, TimePoint now) {
  carry_out(link_.handle(report, now), now);
  if (std::holds_alternative<protocol::FileData>(report) && fetches_ > 0) {
    --fetches_;
  }
  reach_.heard(silence(), now);
  if (const auto event = upload_event(report)) {
    carry_out(uploads_.handle(*event, now));
  } else {
    events_.emplace_back(ReportArrived{std::move(report), std::move(payload)});
  }
}

void Connection::carry_out(std::vector<LinkAction> actions, TimePoint now) {
  for (LinkAction& action : actions) {
    if (const auto* request = std::get_if<SendRequest>(&action)) {
      send(request->request);
    } else if (auto* ready = std::get_if<LinkReady>(&action)) {
      reach_.trust();
      told_unreachable_ = false;
      fetches_ = 0;
      // A second welcome may come from an agent that was restarted: its uploads begin anew.
      carry_out(uploads_.handle(upload::Disconnected{}, now));
      events_.emplace_back(std::move(*ready));
      uploads_wait_ = true;
      let_upload(may_upload_, now);
    } else if (std::holds_alternative<LinkGone>(action)) {
      uploads_wait_ = false;
      carry_out(uploads_.handle(upload::Disconnected{}, now));
      events_.emplace_back(LinkGone{});
    } else {
      events_.emplace_back(std::get<LinkRefused>(std::move(action)));
    }
  }
}

void Connection::carry_out(std::vector<ReachAction> actions, TimePoint now) {
  for (ReachAction& action : actions) {
    if (std::holds_alternative<StartProbe>(action)) {
      probes_.emplace_back(lookup_->addresses, has_keys_, now);
    } else if (std::holds_alternative<ConnectAnew>(action)) {
      probes_.clear();
      socket_.connect_anew();
    } else if (auto* lost = std::get_if<ReachLost>(&action)) {
      if (!std::exchange(told_unreachable_, true)) {
        events_.emplace_back(LinkUnreachable{std::move(lost->why)});
      }
    } else {
      events_.emplace_back(LinkRefused{std::get<ReachRefused>(std::move(action)).why});
    }
  }
}

void Connection::carry_out(std::vector<upload::Action> actions) {
  for (upload::Action& action : actions) {
    if (const auto* message_out = std::get_if<upload::Send>(&action)) {
      std::visit([&](const auto& outgoing) { send(outgoing); }, message_out->message);
    } else if (const auto* piece = std::get_if<upload::SendPiece>(&action)) {
      send_piece(*piece);
    } else if (const auto* uploaded = std::get_if<upload::Uploaded>(&action)) {
      sources_.erase(uploaded->file);
      events_.emplace_back(FileUploaded{uploaded->file});
    } else {
      auto& failed = std::get<upload::Failed>(action);
      sources_.erase(failed.file);
      events_.emplace_back(FileNotUploaded{failed.file, std::move(failed.why)});
    }
  }
}

void Connection::send_piece(const upload::SendPiece& action) {
  const auto source = sources_.find(action.file);
  if (source == sources_.end()) {
    return;
  }
  const bool taken = worker_.submit(
      [file = source->second, action, out = read_pieces_]() -> os::Worker::Result {
        auto bytes = std::make_shared<std::string>(
            os::read_piece(file->file, action.offset, static_cast<std::size_t>(action.length)));
        return [out, action, bytes] {
          out->push_back({action.piece, std::move(*bytes), std::nullopt});
        };
      },
      [out = read_pieces_, action](const Error& error) {
        out->push_back({action.piece, {}, error.message()});
      });
  if (!taken) {
    read_pieces_->push_back(
        {action.piece, {}, message("upload.too_busy", "too much waits to be read")});
  }
}

void Connection::send_read_pieces(TimePoint now) {
  for (ReadPiece& read : std::exchange(*read_pieces_, {})) {
    if (read.failure) {
      carry_out(uploads_.handle(upload::ReadFailed{read.piece.upload, *read.failure}, now));
    } else {
      static_cast<void>(
          socket_.send({{}, protocol::pack(protocol::Request(read.piece)), std::move(read.bytes)}));
    }
  }
}

}  // namespace mstune::coordinator
