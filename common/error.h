// The one exception of this project.
//
// Thrown where the cause is known, with everything a person needs in its message: what happened,
// to which thing, what to do now. Caught only where a unit of work ends: the mains, one request,
// one action that was carried out. Expected outcomes are values and are never thrown.
#pragma once

#include <stdexcept>
#include <utility>

#include "common/message.h"

namespace mstune {

enum class ErrorKind {
  usage,        // bad arguments or a bad target file: the person must change what was asked
  environment,  // a build failed, no agent, no disk: the surroundings must change
  protocol,     // a peer sent what the protocol does not allow
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, Message what)
      : std::runtime_error(what.text), kind_(kind), message_(std::move(what)) {}

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const Message& message() const { return message_; }

 private:
  ErrorKind kind_;
  Message message_;
};

template <typename... Arguments>
Error usage_error(std::string_view id, fmt::format_string<const Arguments&...> english,
                  const Arguments&... arguments) {
  return {ErrorKind::usage, message(id, english, arguments...)};
}

template <typename... Arguments>
Error environment_error(std::string_view id, fmt::format_string<const Arguments&...> english,
                        const Arguments&... arguments) {
  return {ErrorKind::environment, message(id, english, arguments...)};
}

template <typename... Arguments>
Error protocol_error(std::string_view id, fmt::format_string<const Arguments&...> english,
                     const Arguments&... arguments) {
  return {ErrorKind::protocol, message(id, english, arguments...)};
}

}  // namespace mstune
