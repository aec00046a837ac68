#include "common/error.h"

#include <utility>

namespace mstune {

Error::Error(ErrorKind kind, Message what)
    : std::runtime_error(what.text), kind_(kind), message_(std::move(what)) {}

Error compose_error(ErrorKind kind, std::string_view id, std::string_view english,
                    std::initializer_list<Argument> arguments) {
  return {kind, compose(id, english, arguments)};
}

}  // namespace mstune
