#include "common/os/curve.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/os/zmq_pieces.h"

namespace mstune::os {
namespace {

// RFC 27: version, request id, domain, address, routing id, mechanism, then the credentials.
constexpr std::size_t kRequestFrames = 7;
constexpr const char* kVersion = "1.0";
constexpr const char* kHandlerAddress = "inproc://zeromq.zap.01";

struct Question {
  std::string id;
  std::optional<Caller> caller;  // nothing when it is not one that can be let in
};

// An IPv4 address as people write it, also where the socket speaks IPv6.
std::string plain_address(std::string_view address) {
  constexpr std::string_view kMapped = "::ffff:";
  return std::string(address.starts_with(kMapped) ? address.substr(kMapped.size()) : address);
}

Question read_question(const std::vector<zmq::message_t>& frames) {
  Question question;
  if (frames.size() > 1) {
    question.id = frames[1].to_string();
  }
  if (frames.size() != kRequestFrames || frames[0].to_string_view() != kVersion ||
      frames[2].to_string_view() != kZapDomain || frames[5].to_string_view() != "CURVE" ||
      frames[6].size() != Key{}.size()) {
    return question;
  }
  Caller caller{plain_address(frames[3].to_string_view()), {}};
  std::copy_n(static_cast<const unsigned char*>(frames[6].data()), caller.key.size(),
              caller.key.begin());
  question.caller = std::move(caller);
  return question;
}

void answer(zmq::socket_t& socket, const std::string& id, const std::optional<std::string>& name) {
  const std::array<std::string, 6> frames{kVersion,
                                          id,
                                          name ? "200" : "400",
                                          name ? "OK" : "not authorized",
                                          name.value_or(std::string()),
                                          std::string()};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    socket.send(zmq::buffer(frames[i]),
                i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

}  // namespace

KeyPair make_key_pair(const std::string& name) {
  constexpr std::size_t kZ85Size = 41;
  std::array<char, kZ85Size> public_text{};
  std::array<char, kZ85Size> secret_text{};
  KeyPair pair;
  pair.name = name;
  if (zmq_curve_keypair(public_text.data(), secret_text.data()) != 0 ||
      zmq_z85_decode(pair.public_key.data(), public_text.data()) == nullptr ||
      zmq_z85_decode(pair.secret_key.data(), secret_text.data()) == nullptr) {
    throw environment_error("key.no_curve",
                            "this libzmq was built without CURVE: install one that has it");
  }
  return pair;
}

ZapHandler::ZapHandler() : state_(std::make_unique<State>()) {
  state_->socket = zmq::socket_t(context(), zmq::socket_type::rep);
  state_->socket.set(zmq::sockopt::linger, 0);
  state_->socket.bind(kHandlerAddress);
}

// Closing alone gives the address back some time later.
ZapHandler::~ZapHandler() {
  try {
    state_->socket.unbind(kHandlerAddress);
  } catch (const zmq::error_t&) {
    // Then it was not bound.
  }
}

void ZapHandler::serve(const Judge& judge) {
  for (;;) {
    std::vector<zmq::message_t> frames;
    do {
      zmq::message_t frame;
      if (!state_->socket.recv(frame, zmq::recv_flags::dontwait)) {
        return;
      }
      frames.push_back(std::move(frame));
    } while (frames.back().more());
    const Question question = read_question(frames);
    answer(state_->socket, question.id,
           question.caller ? judge(*question.caller) : std::optional<std::string>());
  }
}

}  // namespace mstune::os
