#include "coordinator/inquiry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/clock.h"
#include "common/os/identity.h"
#include "coordinator/identity.h"

namespace mstune::coordinator {
namespace {

// set_env.sh may take some seconds on a slow file system, and libraries are read.
constexpr Duration kAnswerMax = std::chrono::seconds(90);

Error no_answer(const std::string& name) {
  return environment_error("inquiry.no_answer",
                           "{} does not answer: does mstune-agent run there, and does the address "
                           "in the target file reach it?",
                           name);
}

}  // namespace

Inquiry::Inquiry(const Target& target, const std::vector<std::string>& environment, Duration wait)
    : name_(said(message("doctor.there", "the agent at {}", endpoint(target)))),
      wait_(wait),
      connection_(endpoint(target), security_for(target, environment), os::random_hex_id(), {},
                  worker_, os::steady_now()) {
  greet();
}

Inquiry::Inquiry(const LocalAgent& agent, Duration wait)
    : name_("the agent on this machine"),
      wait_(wait),
      connection_(agent.endpoint(), std::nullopt, os::random_hex_id(), {}, worker_,
                  os::steady_now()) {
  greet();
}

void Inquiry::greet() {
  const TimePoint deadline = after(os::steady_now(), wait_);
  for (;;) {
    ConnectionEvent event = wait_for_event(deadline);
    if (auto* ready = std::get_if<LinkReady>(&event)) {
      welcome_ = std::move(ready->welcome);
      return;
    }
  }
}

Inquiry::~Inquiry() {
  connection_.send(protocol::Goodbye{});
}

ConnectionEvent Inquiry::wait_for_event(TimePoint deadline) {
  for (;;) {
    if (!events_.empty()) {
      ConnectionEvent event = std::move(events_.front());
      events_.erase(events_.begin());
      if (const auto* refused = std::get_if<LinkRefused>(&event)) {
        throw Error(ErrorKind::environment, refused->why);
      }
      if (auto* unreachable = std::get_if<LinkUnreachable>(&event)) {
        unreachable_ = std::move(unreachable->why);
        continue;
      }
      return event;
    }
    const TimePoint now = os::steady_now();
    if (now >= deadline) {
      throw unreachable_ ? Error(ErrorKind::environment, *unreachable_) : no_answer(name_);
    }
    os::PollSet polled;
    connection_.watch(polled);
    polled.wait(os::time_left(std::min(deadline, connection_.deadline()), now));
    events_ = connection_.step(os::steady_now());
  }
}

template <typename Answer>
Answer Inquiry::ask(const protocol::Request& request, std::string payload) {
  connection_.send(request, std::move(payload));
  const TimePoint deadline = after(os::steady_now(), kAnswerMax);
  for (;;) {
    ConnectionEvent event = wait_for_event(deadline);
    auto* arrived = std::get_if<ReportArrived>(&event);
    if (arrived == nullptr) {
      continue;
    }
    if (auto* answer = std::get_if<Answer>(&arrived->report)) {
      if (!answer->failure.text.empty()) {
        throw Error(ErrorKind::environment, answer->failure);
      }
      return std::move(*answer);
    }
    if (const auto* failure = std::get_if<protocol::Failure>(&arrived->report)) {
      throw Error(ErrorKind::environment, failure->what);
    }
  }
}

protocol::Examined Inquiry::examine(const std::string& cann_env) {
  return ask<protocol::Examined>(protocol::Examine{cann_env}, {});
}

protocol::PassManaged Inquiry::manage_pass(const protocol::ManagePass& request,
                                           std::string library) {
  // An agent of version 1 takes it in one piece.
  if (welcome_.major < protocol::kMajor || library.size() <= protocol::kPayloadBytesMax) {
    return ask<protocol::PassManaged>(request, std::move(library));
  }
  protocol::ManagePass piece = request;
  piece.size = library.size();
  while (piece.size - piece.offset > protocol::kPayloadBytesMax) {
    connection_.send(piece, library.substr(piece.offset, protocol::kPayloadBytesMax));
    piece.offset += protocol::kPayloadBytesMax;
  }
  return ask<protocol::PassManaged>(piece, library.substr(piece.offset));
}

}  // namespace mstune::coordinator
