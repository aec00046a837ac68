// The desk's word about what a client may hold, and about clients whose key is taken off the list.
#include <algorithm>
#include <utility>

#include "agent/desk.h"

namespace mstune::agent {

void Desk::take_offer(Session& session, const protocol::Offer& offer) {
  if (options_.policy) {
    auto why = refusal_of_file(*options_.policy, offer.size, files_.bytes_of(session.client));
    if (why) {
      reply(session.peer, protocol::Refused{offer.upload, std::move(*why)});
      return;
    }
  }
  if (hold(session.campaign, offer.identity, offer.size)) {
    session.offers[offer.upload] = *parse_raw_digest(offer.identity.value);
  }
  actions_.emplace_back(desk::PassToFiles{session.number, offer});
}

bool Desk::hold(const std::string& campaign, const protocol::Bytes& identity, std::uint64_t bytes) {
  const auto digest = parse_raw_digest(identity.value);
  if (!digest || !files_.add(campaign, *digest, bytes)) {
    return false;
  }
  actions_.emplace_back(desk::HoldFile{*digest});
  return true;
}

void Desk::on(const desk::UploadRefused& event, TimePoint /*now*/) {
  for (auto& [campaign, session] : sessions_) {
    const auto offer = session.offers.find(event.upload);
    if (session.number == event.session && offer != session.offers.end()) {
      if (files_.remove(campaign, offer->second)) {
        let_go({{offer->second}, {}});
      }
      session.offers.erase(offer);
    }
  }
}

// The owner's word: nothing is waited for, and nothing more is said to them. A client with another
// key may come back with it.
void Desk::on(const desk::KeysTakenOff& event, TimePoint now) {
  const auto holds = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> over;
  for (const auto& [campaign, session] : sessions_) {
    if (holds(event.keys, session.key)) {
      over.push_back(campaign);
    }
  }
  for (const std::string& campaign : over) {
    leave(campaign, holds(event.clients, sessions_.at(campaign).client), now);
  }
  for (const auto& [key, client] : trials_) {
    if (holds(event.clients, client)) {
      actions_.emplace_back(desk::TellTrial{key, CoordinatorGone{true}});
      slots_.stop_waiting(key);
    }
  }
}

}  // namespace mstune::agent
