// The one exception of this project.
//
// Thrown where the cause is known, with everything a person needs in its message: what happened,
// to which thing, what to do now. Caught only where a unit of work ends: the mains, one request,
// one action that was carried out. Expected outcomes are values and are never thrown.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "common/message.h"

namespace mstune {

enum class ErrorKind {
  usage,        // bad arguments or a bad target file: the person must change what was asked
  environment,  // a build failed, no agent, no disk: the surroundings must change
  protocol,     // a peer sent what the protocol does not allow
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, Message what);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const Message& message() const { return message_; }

 private:
  ErrorKind kind_;
  Message message_;
};

Error compose_error(ErrorKind kind, std::string_view id, std::string_view english,
                    std::initializer_list<Argument> arguments);

// Each takes what message() takes.
template <typename... Values>
Error usage_error(std::string_view id, Phrase<sizeof...(Values)> phrase, const Values&... values) {
  return compose_error(ErrorKind::usage, id, phrase.english(), {Argument(values)...});
}

template <typename... Values>
Error environment_error(std::string_view id, Phrase<sizeof...(Values)> phrase,
                        const Values&... values) {
  return compose_error(ErrorKind::environment, id, phrase.english(), {Argument(values)...});
}

template <typename... Values>
Error protocol_error(std::string_view id, Phrase<sizeof...(Values)> phrase,
                     const Values&... values) {
  return compose_error(ErrorKind::protocol, id, phrase.english(), {Argument(values)...});
}

}  // namespace mstune
