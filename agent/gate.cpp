#include "agent/gate.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/guarded_file.h"
#include "common/os/key_file.h"

namespace mstune::agent {
namespace {

// A client that was just authorized does not wait for longer than this, and one that knocks a
// thousand times a second does not make the agent read the list as often.
constexpr Duration kTurnLookEvery = std::chrono::milliseconds(200);
constexpr Duration kLogEvery = std::chrono::seconds(10);

void log(const std::string& line) {
  fmt::print(stderr, "mstune-agent: {}\n", line);
}

}  // namespace

Gate::Gate(GateOptions options)
    : options_(std::move(options)),
      pair_(os::read_secret_key(options_.key)),
      list_(os::read_authorized_at(options_.authorized)),
      signature_(os::authorized_signature(options_.authorized)) {
  for (const Message& mistake : list_.mistakes) {
    log(said(mistake));
  }
}

void Gate::look_again(TimePoint now) {
  if (now < look_at_) {
    return;
  }
  look_at_ = after(now, kTurnLookEvery);
  try {
    read_again(now);
  } catch (const os::Unreadable& error) {
    if (now >= log_at_) {
      log_at_ = after(now, kLogEvery);
      log(said(message("agent.list_unreadable",
                       "the list of authorized clients cannot be read at the moment, the one that "
                       "was read last stays: {}",
                       error.message())));
    }
  } catch (const Error& error) {
    if (!list_.names.empty()) {
      log(fmt::format("nobody is let in until this is mended: {}", error.what()));
    }
    replace_list({});
    signature_.clear();  // of no list that was read
  }
}

void Gate::read_again(TimePoint now) {
  std::string signature = os::authorized_signature(options_.authorized);
  if (signature == signature_) {
    return;
  }
  AuthorizedList list = os::read_authorized_at(options_.authorized);
  signature_ = std::move(signature);
  log_at_ = now;
  replace_list(std::move(list));
  for (const Message& mistake : list_.mistakes) {
    log(said(mistake));
  }
  log(fmt::format("{} has changed: {} keys are authorized", options_.authorized.string(),
                  list_.names.size()));
}

void Gate::replace_list(AuthorizedList list) {
  const auto names_in = [](const AuthorizedList& some, const std::string& name) {
    return std::any_of(some.names.begin(), some.names.end(),
                       [&](const auto& entry) { return entry.second == name; });
  };
  for (const auto& [key, name] : list_.names) {
    const auto still = list.names.find(key);
    if (still == list.names.end() || still->second != name) {
      taken_off_.keys.push_back(key_text(key));
      if (!names_in(list, name)) {
        taken_off_.clients.push_back(name);
      }
    }
  }
  list_ = std::move(list);
}

std::optional<std::string> Gate::judge(const os::Caller& caller, TimePoint now) {
  look_again(now);
  if (list_.names.contains(caller.key)) {
    return key_text(caller.key);
  }
  if (const auto line = refusals_.refused(caller.address, key_text(caller.key), now)) {
    log(*line);
  }
  return std::nullopt;
}

void Gate::serve(TimePoint now) {
  handler_.serve([&](const os::Caller& caller) { return judge(caller, now); });
}

std::optional<std::string> Gate::client_of(const std::string& user, TimePoint now) {
  look_again(now);
  const auto found = std::find_if(list_.names.begin(), list_.names.end(),
                                  [&](const auto& entry) { return key_text(entry.first) == user; });
  return found == list_.names.end() ? std::nullopt : std::make_optional(found->second);
}

}  // namespace mstune::agent
