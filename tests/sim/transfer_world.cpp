#include "tests/sim/transfer_world.h"

#include <algorithm>
#include <utility>

namespace mstune {

namespace upload = coordinator::upload;
namespace download = agent::download;

TransferWorld::TransferWorld(std::filesystem::path store, std::vector<agent::Content> files,
                             const WorldOptions& options, std::uint64_t seed)
    : path_(std::move(store)), files_(std::move(files)), options_(options), random_(seed) {
  upload::Options sender_options;
  sender_options.window_bytes = options_.window_bytes;
  for (std::size_t i = 0; i < options_.senders; ++i) {
    senders_.push_back({upload::Machine(sender_options), 0, {}, {}});
  }
  restart_agent();
  for (Sender& sender : senders_) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      act(sender, upload::Submitted{i, files_[i].manifest});
    }
  }
}

bool TransferWorld::run(std::size_t steps_max) {
  for (std::size_t i = 0; i < steps_max; ++i) {
    if (std::all_of(senders_.begin(), senders_.end(),
                    [](const Sender& sender) { return sender.machine.finished(); })) {
      return true;
    }
    step();
  }
  return false;
}

std::uint64_t TransferWorld::bytes_sent() const {
  std::uint64_t bytes = 0;
  for (const Sender& sender : senders_) {
    bytes += sender.machine.bytes_sent();
  }
  return bytes;
}

void TransferWorld::act(Sender& sender, const upload::Event& event) {
  for (upload::Action& action : sender.machine.handle(event, now_)) {
    if (auto* const send = std::get_if<upload::Send>(&action)) {
      sender.to_agent.push_back({std::move(send->message), {}});
    } else if (const auto* const piece = std::get_if<upload::SendPiece>(&action)) {
      sender.to_agent.push_back(
          {piece->piece, files_.at(piece->file).bytes.substr(piece->offset, piece->length)});
    } else if (const auto* const failed = std::get_if<upload::Failed>(&action)) {
      failures_.push_back(failed->why);
    } else {
      ++uploaded_;
    }
  }
  note_under_way();
}

void TransferWorld::act(const download::Event& event, std::string payload) {
  for (download::Action& action : receiver_->handle(event, now_)) {
    if (auto* const job = std::get_if<download::StoreJob>(&action)) {
      const bool is_write = std::holds_alternative<download::Write>(job->what);
      jobs_.push_back({std::move(*job), is_write ? std::exchange(payload, {}) : std::string()});
      continue;
    }
    auto& send = std::get<download::Send>(action);
    for (Sender& sender : senders_) {
      if (sender.session == send.session) {
        sender.from_agent.push_back(std::move(send.message));
        break;
      }
    }
  }
}

// Payload that somebody holds in memory: on its way, or waiting to be written.
void TransferWorld::note_under_way() {
  std::uint64_t bytes = 0;
  for (const Sender& sender : senders_) {
    for (const Packet& packet : sender.to_agent) {
      bytes += packet.payload.size();
    }
  }
  for (const Job& job : jobs_) {
    bytes += job.payload.size();
  }
  under_way_max_ = std::max(under_way_max_, bytes);
}

void TransferWorld::step() {
  now_ += std::chrono::milliseconds(1);
  if (faults_ < options_.faults_max && chance(options_.break_permille)) {
    ++faults_;
    break_connection(senders_[random_() % senders_.size()]);
    return;
  }
  if (faults_ < options_.faults_max && chance(options_.restart_permille)) {
    // Every connection breaks, and each may cost its window.
    faults_ += static_cast<unsigned>(senders_.size());
    restart_agent();
    return;
  }
  if (chance(options_.measure_permille)) {
    measure_others();
  }
  std::vector<std::pair<int, std::size_t>> possible;
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    if (!senders_[i].to_agent.empty()) {
      possible.emplace_back(0, i);
    }
    if (!senders_[i].from_agent.empty()) {
      possible.emplace_back(1, i);
    }
  }
  if (!jobs_.empty()) {
    possible.emplace_back(2, 0);
  }
  if (possible.empty()) {
    wait_for_deadline();
    return;
  }
  const auto [what, which] = possible[random_() % possible.size()];
  if (what == 0) {
    deliver_to_agent(senders_[which]);
  } else if (what == 1) {
    deliver_to_sender(senders_[which]);
  } else {
    do_job();
  }
}

// Nobody's, somebody's who has left, or one sender's.
void TransferWorld::measure_others() {
  const std::size_t whose = random_() % (senders_.size() + 2);
  std::vector<agent::SessionId> sessions;
  if (whose < senders_.size()) {
    sessions.push_back(senders_[whose].session);
  } else if (whose == senders_.size()) {
    sessions.push_back(0);
  }
  act(download::Measuring{std::move(sessions)});
}

void TransferWorld::deliver_to_agent(Sender& sender) {
  Packet packet = std::move(sender.to_agent.front());
  sender.to_agent.pop_front();
  if (const auto* const piece = std::get_if<protocol::Piece>(&packet.message)) {
    const std::uint64_t bytes = packet.payload.size();
    act(download::PieceArrived{sender.session, *piece, bytes}, std::move(packet.payload));
  } else {
    act(download::Arrived{sender.session, std::get<upload::Outgoing>(std::move(packet.message))});
  }
}

void TransferWorld::deliver_to_sender(Sender& sender) {
  const download::Outgoing message = std::move(sender.from_agent.front());
  sender.from_agent.pop_front();
  std::visit([&](const auto& known) { act(sender, known); }, message);
}

void TransferWorld::do_job() {
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  if (const auto result = download::carry_out(*store_, job.job, job.payload)) {
    act(*result);
  }
}

void TransferWorld::connect(Sender& sender) {
  sender.session = ++last_session_;
  act(sender, upload::Connected{});
}

// What was on its way is lost; what reached the agent is still being written.
void TransferWorld::break_connection(Sender& sender) {
  sender.to_agent.clear();
  sender.from_agent.clear();
  act(sender, upload::Disconnected{});
  act(download::SessionEnded{sender.session});
  connect(sender);
}

// A killed agent: nothing is closed, and jobs that waited are never done.
void TransferWorld::restart_agent() {
  jobs_.clear();
  store_.reset();
  store_.emplace(path_, agent::store_options());
  download::Options options;
  options.window_bytes = options_.window_bytes;
  receiver_.emplace(options);
  for (Sender& sender : senders_) {
    sender.to_agent.clear();
    sender.from_agent.clear();
    act(sender, upload::Disconnected{});
    connect(sender);
  }
}

void TransferWorld::wait_for_deadline() {
  TimePoint first = receiver_->deadline();
  for (const Sender& sender : senders_) {
    first = std::min(first, sender.machine.deadline());
  }
  now_ = std::max(now_, first);
  act(download::Tick{});
  for (Sender& sender : senders_) {
    act(sender, upload::Tick{});
  }
}

}  // namespace mstune
